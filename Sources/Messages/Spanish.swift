// Made by packaging/po/catalogue from packaging/po/es.po: change that instead.
// swift-format-ignore-file

/// The Spanish text in place of the English one with that key; nil where there is none.
func spanishText(_ key: UInt64) -> StaticString? {
    switch key {
    case 0x0201a4f61e0d7a61:
        """
        Demasiados inicios de sesión esperan una respuesta en este equipo. Termine o cancele los suyos y vuelva a \
        intentarlo.
        """
    case 0x04023863b5c566e4:
        """
        La configuración de Cognito de este equipo tiene un error o no corresponde al grupo de usuarios. Avise a su \
        administrador.
        """
    case 0x0c3ee31d2542a777:
        """
        Cognito guarda la contraseña de esta cuenta, y este programa no puede dar la actual. Cambie la contraseña en \
        el grupo de usuarios.
        """
    case 0x0fea5ab2efb64e94:
        """
        Este equipo exige un paso de autenticación adicional que Cognito no ha pedido. El administrador puede ver el \
        motivo en el registro.
        """
    case 0x1372eb65de43ebb6:
        """
        Su contraseña no se guarda aquí. Cámbiela donde inicia sesión en los demás servicios de su empresa.
        """
    case 0x1721b491a694461b:
        """
        Su cuenta en esta máquina acaba de cambiar. Inicie sesión una vez más, con una conexión nueva.
        """
    case 0x1a0b0c2005c54570:
        """
        En este momento no se pueden restablecer contraseñas en este equipo. Su administrador encontrará el motivo en \
        el registro.
        """
    case 0x249b6a47e9e3fdac:
        """
        Otro inicio de sesión suyo en este equipo no ha terminado todavía. Vuelva a intentarlo dentro de un minuto.
        """
    case 0x2e2bb8e06be4e61e: "Contraseña, o solo Intro para iniciar sesión con un navegador: "
    case 0x34a77e1d4cd558b9: "Su contraseña ha cambiado. Inicie sesión con la nueva."
    case 0x39f72997b13287da:
        """
        Demasiados intentos de iniciar sesión en esta cuenta fallaron. Vuelva a intentarlo dentro de {0} min.
        """
    case 0x4ff8c751908d238e:
        """
        Sesión iniciada en Cognito como {0}, para {1} min como máximo. Para ver sus tokens, ejecute: cognito-session
        """
    case 0x533ab46eb8eccae7:
        """
        Cognito no está disponible, y no se puede usar en su lugar una contraseña local. Vuelva a intentarlo más \
        tarde.
        """
    case 0x5fb43342af0049ec:
        """
        La petición falló en este equipo, y nada ha cambiado. Avise a su administrador, que puede ver el motivo en el \
        registro.
        """
    case 0x6270866c36244b25:
        """
        Esta cuenta no puede iniciar sesión en este equipo. Si debería poder, consulte al administrador.
        """
    case 0x644fc3d2b0c9fa7a: "Tiene demasiadas sesiones en este equipo. Cierre una de ellas y vuelva a iniciar sesión."
    case 0x690ce9713a5be873: "Cognito guarda esta contraseña y pide la actual antes de cambiarla."
    case 0x7cc3f6bcbd582aa7:
        """
        En este equipo no cabe ninguna sesión más. Vuelva a intentarlo más tarde, o avise a su administrador.
        """
    case 0xa03a2370dcd1eced:
        """
        Sesión iniciada en Cognito como {0}, para {1} días como máximo. Para ver sus tokens, ejecute: cognito-session
        """
    case 0xbda18207b71bbe1f: "Se cerraron todas sus sesiones durante este inicio de sesión. Vuelva a iniciar sesión."
    case 0xc321916dd8c5614f:
        """
        Las claves ssh de su cuenta en este equipo han cambiado; ahora hay {0}. Si usted no las ha cambiado, ejecute \
        'cognito-session sign-out --global' y avise a su administrador. Un atacante puede tener sus tokens.
        """
    case 0xc465dcd032a08fe2:
        """
        Se están comprobando varios inicios de sesión de esta cuenta a la vez. Espere unos segundos y vuelva a \
        intentarlo.
        """
    case 0xca5b56bf65a3c51c:
        """
        Cognito envió varios códigos para esta cuenta que no se introdujeron. Introduzca el código en la ventana que \
        lo pide, o vuelva a intentarlo dentro de {0} min.
        """
    case 0xdf7d8e1adf3f833b:
        """
        No se puede crear su cuenta en este equipo. El administrador puede ver el motivo en el registro.
        """
    case 0xdfc96738fc20c702:
        """
        Demasiados inicios de sesión suyos en este equipo no han terminado todavía. Vuelva a intentarlo dentro de un \
        minuto.
        """
    case 0xe64f6881ee7eb7b2: "Contraseña: "
    case 0xf504c8fe4458babd:
        """
        Sesión iniciada en Cognito como {0}, para {1} horas como máximo. Para ver sus tokens, ejecute: cognito-session
        """
    // The module says no more than that.
    #if !hasFeature(Embedded)
    case 0x00be0cf45a9ee667: "{0} día"
    case 0x01153949ffb75824:
        """
        root ya no bloquea la cuenta {0}. La próxima sincronización la desbloquea, si el grupo de usuarios admite al \
        usuario.
        """
    case 0x012114b0a41789e5:
        """
        Esta sesión ya tiene tokens. Para renovarlos, ejecute 'cognito-session refresh'. Para iniciar sesión de nuevo, \
        ejecute antes 'cognito-session sign-out --local'.
        """
    case 0x014b5d8b8e19be69: "No se cambió nada: {0} pertenece al uid o al gid {1}."
    case 0x017a3c57146d6211: "{0} usuarios"
    case 0x01ee168287d95600:
        """
        No se envió ningún código: por ahora el grupo de usuarios no puede enviar más. Su contraseña no ha cambiado. \
        Consulte a su administrador.
        """
    case 0x03586ffa9e394555: "Debe cambiar su contraseña. Vuelva a iniciar sesión para elegir una nueva."
    case 0x040ac073d37e636a:
        """
        Iniciar sesión aquí necesita cognito-agent, que no responde. Pida a su administrador que lo arranque \
        (pam-cognito-agent.socket).
        """
    case 0x04142846887a9b9d:
        """
        El diagnóstico no cambia ningún archivo: {0} ya no existe. Haga usted los cambios que muestra y guarde una \
        copia.
        """
    case 0x049f1fd0b883e0ec:
        """
        Esta sesión no se inició con Cognito (una clave de ssh, una contraseña local), o se ha cerrado desde entonces.
        """
    case 0x04e4e6b3e8eb0da2:
        """
        la entrada estándar no es un socket SOCK_SEQPACKET conectado; systemd o 'listen' lo proporcionan.
        """
    case 0x0631df7ed403c880:
        """
        llavero {0} ({1}), clave {2}; compartida por otra sesión suya, desaparece cuando esa termina
        """
    case 0x0638a35ba83536ef:
        """
        No se entregaron tokens: el código no se escribió a tiempo o fue incorrecto demasiadas veces, o una de las dos \
        sesiones ya no está.
        """
    case 0x065e16f8c2ca1895:
        """
        KUBERNETES_EXEC_INFO no contiene una petición que este programa admita. Admite client.authentication.k8s.io/v1 \
        y v1beta1.
        """
    case 0x06b8cf312b7a6d53: "Los tokens de esta sesión están bloqueados."
    case 0x073e2e7ae166da1b: "Para root: quién tiene cuenta en esta máquina solo por el pool."
    case 0x07d0a5e08edb974c: "cognito-agent no responde"
    case 0x07ea7d20263b28d0: "Mantiene los tokens disponibles para la orden mientras los de la sesión están bloqueados."
    case 0x081372088d17fe56: "La opción '{0}' necesita un valor."
    case 0x09240e07b5b8d640: "ID"
    case 0x09717d95c290e101:
        """
        No se puede renovar el token, porque cognito-agent no conoce esta sesión. Vuelva a iniciar sesión.
        """
    case 0x09aa2ee004ffcad5: "Token de ID"
    case 0x09ab1836777e6110: "Sesión no válida o caducada"
    case 0x0a0064254012a66f: "Nada ha cambiado.\n"
    case 0x0a6484e650d0a109: "Estado de salida:"
    case 0x0b072d07bcf69ead: "sign-out: se ha cerrado menos de lo que se había pedido."
    case 0x0b231677edb51142:
        """
        Este programa se ejecuta bajo systemd --user, que tiene un llavero propio. No comparte el llavero de ninguna \
        sesión.
        """
    case 0x0b2a13b30764eabe:
        """
        Uso: cognito-agent reap [--once | --now | --dry-run]\n     cognito-agent drain\n     cognito-agent failures \
        [--reset USUARIO]\n     cognito-agent accounts sync [--dry-run | --removals NÚMERO]\n     cognito-agent \
        accounts adopt [--apply] [USUARIO...]\n     cognito-agent keys USUARIO\n     cognito-agent serve\n     \
        cognito-agent listen [--socket RUTA]\n\nHace el trabajo de pam-cognito que necesita root y no pertenece a \
        ningún inicio de sesión. Necesita root. El registro\n(authpriv) dice también lo que hizo.\n\n  reap        \
        limpia las sesiones que no se cerraron bien: revoca sus tokens en Cognito y después las elimina del\n              \
        registro en el llavero de root del núcleo. Lo que falla lo intentan de nuevo limpiezas posteriores: tras\n              \
        un minuto, dos, cuatro, y al final cada 15 minutos. Después pregunta a Cognito si las sesiones abiertas\n              \
        siguen siendo válidas, a cada una una vez en check_interval, y cierra las que no\n  drain       cierra todas \
        las sesiones, aunque sus programas sigan en marcha, porque el equipo se apaga. Tarda diez\n              \
        segundos como mucho, y enumera las sesiones que no pudo cerrar\n  failures    enumera los inicios de sesión \
        fallidos recientes: con qué cuenta, de qué uid y cuántas veces. Con\n              --reset, borra los fallos \
        de una cuenta\n  accounts sync\n              crea cuentas en este equipo para los usuarios de allowed_groups, \
        y bloquea las de los usuarios que ya no\n              están en ninguno de esos grupos. Si no se puede \
        preguntar a Cognito, nada cambia. Con --removals, se\n              pueden bloquear tantas cuentas de una vez, \
        diga lo que diga account_removal_limit\n  accounts adopt\n              enumera los usuarios de /etc/passwd \
        que son usuarios de allowed_groups, y por qué algunos no pueden pasar\n              a cuentas gestionadas con \
        su uid y su directorio actuales. Con --apply, pasan a serlo\n  keys        escribe las claves ssh públicas de \
        una cuenta gestionada, para AuthorizedKeysCommand en sshd_config(5)\n  serve       atiende a un cliente en la \
        entrada estándar, un socket SOCK_SEQPACKET conectado: renueva los tokens de la\n              sesión, o la \
        cierra. Lo arranca listen\n  end         cierra una sesión que su programa ha cerrado sin esperar. Lo arranca \
        el módulo\n  seal        sella o abre, con systemd-creds(1), los dispositivos recordados del módulo. Lo \
        arranca el módulo\n  run-hooks   ejecuta los ganchos de cierre cuando han terminado los tokens de una sesión. \
        Lo arrancan el módulo y las\n              órdenes de arriba\n  accounts    dice qué uid son de cuentas. Lo \
        arranca listen\n  watch       revoca los tokens de los inicios a los que no siguió ninguna sesión. Lo arranca \
        listen\n  listen      arranca un proceso por cada petición. En el socket de systemd (pam-cognito-agent.socket) \
        termina cuando\n              está inactivo; en uno propio sigue hasta que se le detiene\n  --once      una \
        limpieza (lo predeterminado)\n  --now       reintenta también lo que aún no toca, comprueba todas las sesiones \
        abiertas, y tarda lo que haga falta\n  --dry-run   solo muestra lo que haría\n  --socket    usa otra ruta que \
        {0}; las herramientas de los usuarios solo usan esa\n  --help      muestra esta ayuda\n  --version   muestra \
        la versión\n\nEstado de salida: 0 no queda nada por hacer, 1 algo no se pudo cerrar aún, 64 uso incorrecto, 69 \
        sin socket,\n74 no se pudo escribir en la salida estándar, 77 sin root.\n
        """
    case 0x0ba4bbe034bba5d4:
        """
        El token se ha renovado, pero solo es válido durante {0}, menos de lo que pide --min-life.
        """
    case 0x0cdcf0e49f733423:
        """
        Para renovarlo, ejecute 'cognito-session refresh'. Cognito tiene que aceptar aún el token de renovación.
        """
    case 0x0ce8eeaf9aa0c421: "Shell"
    case 0x0d85b56178d301c3: "{0} minuto"
    case 0x0dd4d0a4289df778: "Cognito ya no acepta esta sesión, o no aceptó al usuario."
    case 0x0de04b7bf2f92816:
        """
        No se ha importado ningún token: la exportación se importó antes, ha caducado, o ha terminado su sesión.
        """
    case 0x0ee17f3b2b02921d:
        """
        Esta sesión no tiene llavero propio, y cognito-session no puede crear uno para el programa que inició \
        cognito-session. Salga, entre de nuevo en el equipo y vuelva a intentarlo.
        """
    case 0x0f0911926688626e: "Para encontrar todos esos archivos: {0}"
    case 0x0f66cfd325875c92: "Iniciar sesión necesita un terminal en el que preguntar."
    case 0x0fb9139732dd665a:
        """
        Los tokens se han eliminado de esta sesión. Cognito los revoca solo cuando usted salga, porque cognito-agent \
        no responde.\n
        """
    case 0x106655b7be660031:
        """
        No se entregaron tokens: cognito-agent falló, o no se pudieron poner en la sesión. El registro del sistema \
        indica el motivo.
        """
    case 0x11672c115256bf03: " ¿Quería decir '{0}'?"
    case 0x1171dccbc204585c: "Amazon Cognito: hace mucho que aquí no se escribe nada. Esta sesión termina ahora."
    case 0x119c14bb4195e019: "sin respuesta, o con una no válida"
    case 0x1248a54250f925c7: "Demasiados intentos. Espere unos minutos y vuelva a intentarlo."
    case 0x12b1ba4252520a5d: "entrada {0}"
    case 0x139af51e62133908: "{0} (esta sesión)"
    case 0x1404b42905eeaba3:
        """
        Abra esta dirección en un navegador de su propio dispositivo, y solo si acaba de empezar usted mismo este \
        inicio de sesión:\n
        """
    case 0x1411fe1f8f0f2aa6: "Servidores que pueden recibir el token: separados por comas, con :PUERTO si no es el 443."
    case 0x14754ef7eceac7a6: "Su firma no se ha verificado ahora. {0}"
    case 0x147592c2adb967af: "La entrada estándar no contiene una petición de credencial de git."
    case 0x1486c5e2c5a2185b: "La clave de tokens desapareció mientras se leía: la sesión se está cerrando."
    case 0x14bae8d23bf91712: "Su contraseña no ha cambiado."
    case 0x157aa45c26b9c14d: "{0} de {1}."
    case 0x15f299a0f60ed9c8: "{0}: válidas hasta entonces para quien tenga una copia, incluso tras cerrar la sesión"
    case 0x163745e71d034de4: "'{0}' necesita una orden que ejecutar."
    case 0x16832c064dcaaa72: "Muestra si una cuenta es gestionada, por qué, y qué más la rechaza."
    case 0x16984d43daa5d99a:
        """
        No se ha entregado nada, porque ninguna de sus sesiones que esperan tiene ese código. Empiece allí de nuevo \
        con 'cognito-session attach'.
        """
    case 0x175e53fb19fcef4c: "El miembro \"{0}\" del paquete de tokens no tiene un valor válido."
    case 0x17b8051cd84d1987: "La respuesta no se ha aceptado.\n"
    case 0x17c6d618fc8e9b9c:
        """
        Duración no válida '{0}' para '{1}': use segundos, o un número seguido de s, m, h o d, como 5m.
        """
    case 0x17dd024812e513f8: "No tiene ninguna sesión con tokens de Cognito en este equipo, así que no se cerró nada.\n"
    case 0x17dd2e194f31d276: "RUTA"
    case 0x185184e17444634c:
        """
        No se pudo completar el inicio de sesión con un navegador. Vuelva a intentarlo más tarde, o pregunte a su \
        administrador.
        """
    case 0x185c5a208376f8d7:
        """
        Su otra sesión comparte ahora los tokens de esta. Se renuevan a la vez, y se eliminan cuando esta sesión \
        termina.\n
        """
    case 0x189a16878f2af240: "Ese código ya se ha usado. Espere al siguiente.\n"
    case 0x18bd114f8a1162fe: "Opción desconocida '{0}'."
    case 0x19371805d6b72e7e: "Solo root puede ver y cambiar las cuentas. La suya: id, y cognito-session whoami"
    case 0x1a115877269b1f88: "La contraseña o el código no se ha aceptado. No ha cambiado nada; inténtelo de nuevo."
    case 0x1ac0825d424efe25:
        """
        solo se ha cerrado esta sesión, porque los ajustes de este equipo no encajan con el grupo de usuarios. Puede \
        que sus otros dispositivos sigan con la sesión abierta: avise a su administrador.
        """
    case 0x1b6c39a422a7a7f0:
        """
        No se ha exportado nada, porque cognito-agent no responde. Pida a su administrador que lo inicie \
        (pam-cognito-agent.socket).
        """
    case 0x1bc16b78759779cf:
        """
        Amazon Cognito: hace mucho que aquí no se escribe nada. Dentro de dos minutos se cierra su sesión de Cognito y \
        se bloquea la pantalla, salvo que pulse Intro.
        """
    case 0x1c1c6007a189f7da: "Vuelva a iniciar sesión y arranque este programa desde la nueva sesión."
    case 0x1c2baa9b634e96c6: "Cognito está saturado en este momento. Vuelva a intentarlo dentro de un minuto."
    case 0x1c47a511db91b18a: "Si existe tal cuenta, su titular recibirá un código por correo electrónico o SMS.\n"
    case 0x1d2e12db3f78a0c8: "Nueva contraseña: "
    case 0x1d9b646a9bed3767:
        """
        El grupo de usuarios todavía no enumera ninguna sesión suya: una nueva aparece allí al cabo de unos segundos.
        """
    case 0x1dcf9a000357e28a:
        """
        se esperaba 'reap [--once | --now | --dry-run]', 'drain', 'failures [--reset USUARIO]', 'accounts sync \
        [--dry-run | --removals NÚMERO]', 'accounts adopt [--apply] [USUARIO...]', 'keys USUARIO', 'serve' o 'listen'. \
        Véase cognito-agent --help.
        """
    case 0x1ee4947f27013ad6:
        """
        Solo root puede terminar las sesiones de otros usuarios. Para terminar la suya, ejecute 'cognito-session \
        sign-out'.
        """
    case 0x1f3e4acd97836f05: "La opción '{0}' necesita el nombre de un valor JSON."
    case 0x1f52643063dbcc1a: "un dispositivo desconocido"
    case 0x1fb911bbecd4720b: "En Cognito"
    case 0x20187bfdf1f2903f: "Nombre no válido '{0}' para '{1}'."
    case 0x20e248946cf12e58: "Este proceso no se pudo proteger de otros (prctl, setrlimit)."
    case 0x213018129737f5af: "No se reserva ningún uid para el nombre '{0}'."
    case 0x2136ef24870f2706:
        """
        Ejecute 'cognito-session sign-in' en este panel. Para usar los tokens de otra sesión, ejecute 'cognito-session \
        attach' aquí y 'cognito-session attach --give' en esa sesión.
        """
    case 0x218d4c33b7027b72: "recibido: {0}"
    case 0x22148b3041117df1: "llavero {0} ({1}), clave {2}"
    case 0x22366bd1127d1ef6:
        """
        El núcleo no muestra el llavero de la sesión (error {0}); algunos contenedores lo prohíben.
        """
    case 0x226c5c7250445c79:
        """
        La firma no se ha verificado otra vez ahora, porque cognito-agent no responde. Se verificó cuando se puso aquí \
        el token.
        """
    case 0x235d7dd0ab1a2d15: "{0} hora"
    case 0x23be70445dd76407: "¿Cómo quiere iniciar sesión?\n"
    case 0x24041ed4da9c9006: "No dice nada; solo fija el estado de salida."
    case 0x250c5154dfbe499b: "Ejecute 'cognito-session sign-in'; o salga y vuelva a iniciar sesión."
    case 0x255fb5c6021b5d2e: "Cierra todas sus sesiones en este equipo. Las de otros lugares siguen abiertas."
    case 0x256020207d74f6d1: "[ORDEN] [OPCIÓN]..."
    case 0x25670970008bf5a2:
        """
        Su cuenta necesita MFA (un código en cada inicio de sesión). ¿Cómo quiere recibir los códigos?\n
        """
    case 0x2648310d317873cb:
        """
        Los tokens de esta sesión están bloqueados. Desbloquee la pantalla con su contraseña de Cognito, o ejecute \
        'cognito-session unlock'.
        """
    case 0x26e57e306b3559e9: "No se revoca nada: los tokens siguen siendo válidos hasta que caducan."
    case 0x2721cc41c78a4e60:
        """
        No se ha exportado nada: demasiadas exportaciones suyas aún son válidas. Importe una, o espere a que una \
        caduque.
        """
    case 0x27429c447cadabf9:
        """
        Nada ha cambiado: cognito-agent no pudo cerrar esta sesión, y solo cognito-agent puede quitar tokens \
        bloqueados. Vuelva a intentarlo más tarde, o salga de la sesión.
        """
    case 0x27a46aa520ec6206: "Línea de órdenes no válida, o petición no válida de otro programa."
    case 0x27bbae8bc1272697: "No se cambió nada: el proceso {0} tiene el uid o el gid {1}."
    case 0x28061c0680034594: "Sesión iniciada"
    case 0x281337d036e7db88:
        """
        No hay ninguna dirección de correo electrónico ni número de teléfono suyos confirmados a los que enviar un \
        código. Pida una nueva contraseña a su administrador.
        """
    case 0x282cfcd44e7a076e: "exec: no se pudo ejecutar la orden."
    case 0x2a43b6ec811fe609: "No se cambió nada: la cuenta {0} tiene el uid {1}."
    case 0x2a5ad18240bec780: "Cognito está saturado y no ha comprobado la respuesta. Introdúzcala otra vez.\n"
    case 0x2c536720423cb857:
        """
        Este programa lo arrancan pam_cognito.so y cognito-agent, con un socket como entrada estándar. No tiene \
        opciones. Véase cognito-session(1) para lo que puede ejecutar una persona.
        """
    case 0x2c552a2e56e6525e: "Se ha cerrado la sesión en todos los dispositivos.\n"
    case 0x2d0cbf9e9be50f66: "Su firma se ha verificado ahora mismo con las claves del grupo de usuarios."
    case 0x2d6889e1ef2ca9ac:
        """
        Da credenciales de AWS, en las variables propias de AWS. Sus otros programas pueden leerlas.
        """
    case 0x2d95249d8a13e60a: "Opción [4]: "
    case 0x2e3d04c6ffca8250:
        """
        En el archivo del servicio en /etc/pam.d, ponga \"session optional pam_keyinit.so force revoke\" antes de \
        pam_cognito.so.
        """
    case 0x2edf082eb8e234e6: "Pegue el código que muestra después el navegador, o su dirección: "
    case 0x2f304bdff54c9e5b: "No se pudo escribir la respuesta ({0}). La salida está incompleta; no la use."
    case 0x307e309aecf93a0d:
        """
        Amazon Cognito: los tokens de esta sesión caducan dentro de {0} horas y no se pueden volver a renovar. Para \
        obtener otros: cognito-session sign-out --local y luego cognito-session sign-in
        """
    case 0x320a2f92bd7b2452: "{0} horas"
    case 0x32ccb3ae526748d1: "Cuánto tiempo debe seguir siendo válido el token, por ejemplo 90 (segundos), 5m o 1h."
    case 0x3329d1d99e5ef768: "Cognito ya no tiene su cuenta. Los tokens que quedaban de esta sesión se han eliminado."
    case 0x3342c141c251f770: "Solo root puede hacer esto."
    case 0x334586fa92b25044: "PLAZO"
    case 0x36d17b585399a63f:
        """
        Amazon Cognito: se alcanzó el límite de sesiones del grupo de usuarios, y un inicio de sesión más nuevo ha \
        terminado este. Esta sesión sigue abierta, pero sin sus tokens. Para obtener otros: cognito-session sign-in
        """
    case 0x36d4a23d4b94c31b: "Su contraseña temporal ha caducado. Pida una nueva a su administrador."
    case 0x388c18e8cc57721b: "--verify ya no existe. Ejecute dpkg --verify pam-cognito o rpm --verify pam-cognito."
    case 0x389e0a9bbf5bd084: "estado de salida {0}: {1}"
    case 0x38c294e390e8a64b: "Uid"
    case 0x39241a1b3e862f1f: "No se cambió nada: {0} tiene una línea sobre el uid {1}, o un rango que lo contiene."
    case 0x39fda3440a515344: "git no recibe ningún token para {0}: use https, que mantiene el token en secreto."
    case 0x3b61d465a0694fad:
        """
        solo se ha cerrado esta sesión, porque el cortafuegos del grupo de usuarios denegó lo demás. Puede que sus \
        otros dispositivos sigan con la sesión abierta: inicie sesión e inténtelo de nuevo más tarde, o avise a su \
        administrador.
        """
    case 0x3bccb48fcf4adc46:
        """
        La cuenta {0} está bloqueada en este equipo: no puede iniciar sesión, y no tiene grupos de Unix del grupo de \
        usuarios.
        """
    case 0x3be474457c43fadd: "Código (o pulse Intro para que se le envíe uno): "
    case 0x3bea1bc4a6b6ea46: "Muestra esta ayuda. Después de una orden, muestra la de esa orden."
    case 0x3c0d17bad169557b: "ninguno"
    case 0x3cb41b650e7074ac:
        """
        cognito-agent terminó antes de que se iniciara su sesión. Su administrador puede leer el motivo en el registro \
        del sistema.
        """
    case 0x3d01c62f416607b6:
        """
        Esta sesión ya estaba cerrada. Puede que sus otros dispositivos sigan con la sesión abierta: inicie sesión y \
        ciérrela entonces en todos.
        """
    case 0x3d3a84c26563ea1d:
        """
        Amazon Cognito: su sesión se cerró desde otro lugar, o ya no puede iniciarla. Los tokens de esta sesión ya no \
        están, y su pantalla se ha bloqueado.
        """
    case 0x3db40605efc5d481: "Los tokens han caducado."
    case 0x3dd1c0dec5e3302d: "Código enviado por correo electrónico a {0}: "
    case 0x3e3811c9259d3965: "leído el llavero de la sesión: {0}"
    case 0x3f24ffef87c553a2: "caduca en {0}"
    case 0x404a71b16167e887: "{0} ya no tiene cuenta en esta máquina. Ninguna otra cuenta recibe el uid {1}."
    case 0x404b7bade58fe1db: "Comparte con esta sesión los tokens de otra, escribiendo un código."
    case 0x429106941b7f262f:
        """
        No tiene permiso para hacer esto en este equipo. Si debería tenerlo, consulte a su administrador.
        """
    case 0x4340ee2ad959cf80: "El código ha caducado.\n"
    case 0x435e32524ae7b922: "(desconocido)"
    case 0x4373919c30d98397: "Para ver cuál es: {0}"
    case 0x4398fc8bf7c46ab9: "Exporta los tokens de esta sesión, sellados, para otra de sus sesiones."
    case 0x44db8ab23747145e:
        """
        Cognito cierra su sesión en todas partes: todas sus sesiones, en todos los equipos y aplicaciones.
        """
    case 0x45440b805bf1e612: "No se pudo escribir la respuesta ({0}). La petición en sí se llevó a cabo."
    case 0x45b3906e651a38a3: "Ejecute esto desde la sesión que inició."
    case 0x46419f8ce1d7cc4a:
        """
        No se pudo enviar el código que necesita para iniciar sesión. Consulte a su administrador.
        """
    case 0x46689b8e8e091af5: "git no recibe ningún token para {0}: --host solo nombra {1}."
    case 0x468a0819889922ba: "lo que cuenta el llavero de root del núcleo no se puede leer (errno {0})."
    case 0x47a59901adcb9415:
        """
        Cognito no puede pedirle el paso de autenticación adicional que se exige aquí. El administrador puede ver el \
        motivo en el registro.
        """
    case 0x480631d477daf42b:
        """
        Servidor no válido '{0}' para '{1}': use un nombre, con un puerto si hace falta, como git.example.com:8443.
        """
    case 0x4826cce67b1db1b7:
        """
        Los tokens y las credenciales que se escriben en un terminal permanecen en su historial, donde otros pueden \
        leerlos. Envíe la salida a una tubería o a un archivo, o use --force.
        """
    case 0x485829b693ed5b74: "Código que muestra la aplicación: "
    case 0x490ceeb7aecc65ff:
        """
        La orden necesita un terminal para preguntar qué sesiones cerrar. Use --local para esta sesión, o --global \
        para todos los dispositivos.
        """
    case 0x4968d3f8cfc92c34:
        """
        El grupo de usuarios no lleva una lista de sus sesiones. Para cerrar todas sus sesiones, ejecute \
        'cognito-session sign-out --global'. El administrador del grupo puede activar el seguimiento de sesiones.
        """
    case 0x498865c7bd1f3959: "se desconoce"
    case 0x49ee2bef2bd4962c:
        """
        Las credenciales de AWS solicitadas no están configuradas en esta máquina. Pida a su administrador que las \
        configure (aws_credentials), o pregúntele qué nombres hay.
        """
    case 0x4a36c71dc5c69d67:
        """
        Se bloquearon con la pantalla de la sesión, o con 'cognito-session lock'. Se siguen renovando.
        """
    case 0x4a4c66289fa640c5:
        """
        Ya esperan tokens demasiadas sesiones suyas. Cancélelas o inténtelo de nuevo en dos minutos.
        """
    case 0x4a955c9ef738f786: "En TODOS los dispositivos."
    case 0x4aa0ee9243bf8e19: "Descriptor de archivo no válido '{0}' para '{1}': use 0, o de 3 a 1023."
    case 0x4b1a493507b3a318: "contraseña"
    case 0x4b635c75621fa7a0: "bloqueada por el grupo de usuarios"
    case 0x4c21579d264ff019: "Token de renovación"
    case 0x4ca0b86f65a9e2da: "agente ocupado; se esperó {0} ms"
    case 0x4cdf3215729f371a:
        """
        Amazon Cognito: hace mucho que aquí no se escribe nada, así que se ha cerrado su sesión de Cognito y se ha \
        bloqueado la pantalla.
        """
    case 0x4d7b589192f2654a: "{0}, el próximo {1}"
    case 0x4db1e9602b890063: "Vuelve a abrir una cuenta que se bloqueó aquí."
    case 0x4e8db4ff75b07512:
        """
        En este momento Cognito no admite más peticiones. Nada ha cambiado; vuelva a intentarlo dentro de un minuto.
        """
    case 0x4e9ad5537846f931:
        """
        Establecer una nueva contraseña necesita un terminal en el que preguntar. Ejecute la orden en un terminal.
        """
    case 0x4eb4beb50c2fee06:
        """
        No se ha exportado nada, porque cognito-agent falló. El registro del sistema indica el motivo.
        """
    case 0x4f70eacf3ce6e796:
        """
        No se hizo nada, porque el identificador de usuario de este programa no es de ninguna cuenta de este equipo. \
        Ejecute la orden desde su propia sesión.
        """
    case 0x500a1a0743686a4f: "Hay tokens que no han caducado, o se ha hecho lo pedido."
    case 0x50bf656349e1ef56:
        """
        Según la configuración de este equipo, la sesión termina en {0} y no se puede renovar más allá. Vuelva a \
        iniciar sesión antes.
        """
    case 0x50bfc8f00e25a3de: "código por correo electrónico"
    case 0x52234ff1ab4b78fc: "Grupo de usuarios"
    case 0x5230102c7cbb2418: "se desconoce cuándo caduca"
    case 0x526982ae85161692: "La entrada estándar no contiene una petición de docker que este programa admita."
    case 0x52e8d5610e3400b7: "{0} puede volver a iniciar sesión."
    case 0x532f68a7668a54aa:
        """
        Amazon Cognito: su sesión se cerró desde otro lugar, o ya no puede iniciarla. Esta sesión termina ahora.
        """
    case 0x5372a9552ba8505e: "Código: "
    case 0x5440ce9cb6d2850c:
        """
        No se ha borrado nada. docker recibe el token de la sesión hasta que la cierre con 'cognito-session sign-out'.
        """
    case 0x54e36c996434ceda:
        """
        Ninguna sesión abierta coincide con '{0}' (usuario o número). Para ver las sesiones, ejecute 'cognito-session \
        sessions'.
        """
    case 0x553534e3ddebb2eb:
        """
        Amazon Cognito: usted cerró esta sesión desde otra de sus sesiones. Continúa, pero ya no tiene tokens. Para \
        obtener otros: cognito-session sign-in
        """
    case 0x56635dd38c852151: "enviado: {0}"
    case 0x579fec94f276f0d0: "Usted está ahora en esa sesión. Para terminarla, ejecute 'cognito-session sign-out'."
    case 0x57f481ed08febc2e:
        """
        Debe cambiar su contraseña antes de poder iniciar sesión aquí. Cámbiela donde suele iniciar sesión.
        """
    case 0x57fc9218ddc4db9d: "Usa otro fichero de configuración que /etc/security/pam_cognito.conf."
    case 0x589b14ecb6966468: "Muestra el estado hasta que la sesión termina, y renueva los tokens con antelación."
    case 0x599c3e23d068d476: "cognito-agent, necesario para esto, no responde."
    case 0x59dc63876dfa7b4b:
        """
        Su sesión sigue abierta, porque no se pudo conectar con Cognito. Vuelva a intentarlo más tarde, o cierre solo \
        esta sesión con --local.
        """
    case 0x5a308a1f136101ab: "{0} intentos"
    case 0x5a3cb335db69b7f4:
        """
        solo se ha cerrado esta sesión, porque entretanto ha vuelto a iniciar sesión aquí. Puede que sus otros \
        dispositivos sigan con la sesión abierta: ciérrela en todos desde la sesión nueva.
        """
    case 0x5b425251e1044ddb: "Cambiada"
    case 0x5b9017a7e9a99a32: "aceptada, consultado ahora mismo"
    case 0x5c1e283906fad9bc: "todavía no"
    case 0x5c2fa97cb45cbcb2:
        """
        AWS denegó las credenciales: el grupo de identidades o el rol no las permite. Pregunte a su administrador; el \
        registro tiene la respuesta de AWS.
        """
    case 0x5c5faac9e0f34064:
        """
        Se han cerrado sus {0} sesiones en este equipo: sus tokens se han eliminado, y Cognito los está revocando. Las \
        sesiones en otros lugares siguen abiertas.\n
        """
    case 0x5c74e7d92750f9d1: "abandonada, se cierra pronto"
    case 0x5e748a0cbb00198d: "Repita la nueva contraseña: "
    case 0x5e9aa47495b3a74d: "Inicia sesión en Cognito para una sesión que no tiene tokens."
    case 0x5eb3ad7f07ae4d6e: "Prueba un inicio de sesión de esa cuenta, sin PAM; sus tokens se revocan enseguida."
    case 0x5f43af3669b1e098: "Origen"
    case 0x5fe3d4a7f93dc131:
        """
        Este programa está en el llavero de sesión de otra cuenta. Eso ocurre después de su sin pam_keyinit.
        """
    case 0x600c5ec5684c8205: "Enumera sus sesiones en este equipo; para root, las de todos los usuarios."
    case 0x602ed118f0b5a372: "pronto"
    case 0x61394540ec4fb55f:
        """
        No se pueden enumerar las sesiones, porque no se puede leer el registro en el llavero de root del núcleo. El \
        registro del sistema indica el motivo.
        """
    case 0x619816f9633db2a6:
        """
        llavero {0} ({1}), clave {2}; compartida por otra de sus sesiones, y se elimina cuando aquella termina
        """
    case 0x61aca8c6c230cdf2: "Valor desconocido '{0}' para '{1}'. Valores válidos: {2}."
    case 0x62278f512692e037: "Sesión"
    case 0x6231da358530d3e5:
        """
        Nombre de variable no válido '{0}' para '{1}': use letras, cifras y _, sin cifra al principio.
        """
    case 0x6235fa05b60ef16d:
        """
        solo se ha cerrado esta sesión, porque este equipo no pudo averiguar qué otras tiene aquí. Puede que sus otros \
        dispositivos sigan con la sesión abierta: inicie sesión y ciérrela entonces en todos.
        """
    case 0x627e72cc7f9bc8c6:
        """
        cognito-agent tiene demasiadas peticiones suyas. Vuelva a intentarlo dentro de un momento.
        """
    case 0x628ef7db526f5a80: "dañada: no se cree"
    case 0x62ef5dabfca4ff9f: "Para evitarlo, dé antes los archivos a otro usuario: {0}"
    case 0x6333c9d06dd2bb4e:
        """
        solo se ha cerrado esta sesión, porque se ha restablecido su contraseña. Puede que sus otros dispositivos \
        sigan con la sesión abierta: ponga una contraseña nueva, inicie sesión y ciérrela entonces en todos.
        """
    case 0x6360779df0f2295d: "'{0}' necesita una de estas operaciones: {1}."
    case 0x63f93d360a674157: "El registro dañado de {0} ya no está; el uid sigue reservado para ese nombre de usuario."
    case 0x64d9752142d900d7:
        """
        Amazon Cognito: hace mucho que aquí no se escribe nada. Dentro de dos minutos se cierra su sesión de Cognito, \
        salvo que pulse Intro.
        """
    case 0x64eab832aa162d9e:
        """
        Últimamente se han pedido demasiados códigos con ese nombre. No se envió nada; inténtelo de nuevo dentro de \
        cinco minutos.
        """
    case 0x65c6357c94a8ac0b: "La opción '{0}' no admite ningún valor."
    case 0x65df5501b890c17a: "No hay tokens de Cognito en esta sesión."
    case 0x6670ea15c92196b3: "Contenido del token de {0} de {1}:"
    case 0x668e0a234ab9de0f: "exec: no hay token, así que la orden no se ejecutó."
    case 0x6729d72106bc1fed: "Respuesta: "
    case 0x69e1a4b39ccacba5:
        """
        En este equipo no se guarda ninguna cuenta llamada '{0}'. Para ver las cuentas, ejecute 'cognito-session \
        accounts'.
        """
    case 0x69ea5035735e5970:
        """
        Se han cerrado {0} de {1} sesiones; las demás están ocupadas con otra petición. Vuelva a intentarlo dentro de \
        un minuto.
        """
    case 0x6a110a17feff6d20: "Ninguna de ellas tiene ese código."
    case 0x6a49a7414fbbcb43:
        """
        Desbloquee la pantalla con su contraseña de Cognito, o ejecute 'cognito-session unlock'. Si un trabajo \
        necesita tokens durante un bloqueo, inícielo con 'cognito-session exec --keep'.
        """
    case 0x6a8437fff678deca: "Escribe un token válido en una tubería o un fichero; lo renueva si hace falta."
    case 0x6abb1cd87fe0114e: "Directorio"
    case 0x6bb0d7a7a84cab7a:
        """
        La respuesta de Cognito no llegó: puede que su contraseña haya cambiado o no. Pruebe primero con la nueva.
        """
    case 0x6bc1439ae7e4bb66: "Bloquea los tokens hasta que demuestre quién es (requiere lock_tokens)."
    case 0x6c7372b8c98b5e15:
        """
        Amazon Cognito: su sesión se cerró desde otro lugar, o ya no puede iniciarla. Esta sesión continúa, pero sus \
        tokens ya no están. Para obtener otros: cognito-session sign-in
        """
    case 0x6cd6115192bce2fe: "Cognito ha terminado esa sesión: {0}\n"
    case 0x6d04bb4bf30a93ef: "Se canceló la orden. Nada ha cambiado."
    case 0x6d21cfee025779ef: "Muestra el inicio de sesión de Amazon Cognito y da sus tokens a programas."
    case 0x6d3f81dc4bcacbda: "Último uso"
    case 0x6dd1df5b89e826f3:
        """
        A esta cuenta se ha pasado con su: solo hay tokens cuando la propia cuenta inicia sesión en Cognito.
        """
    case 0x6ddb3f225d6486ab: "Ha fallado otra cosa en este equipo."
    case 0x6ddb7175e0b7464a: "Error al cerrar la sesión: {0}"
    case 0x6e741ad72f4f1933:
        """
        La orden no se inició, porque cognito-agent, que le da los tokens, no responde. Pida a su administrador que lo \
        inicie (pam-cognito-agent.socket).
        """
    case 0x6f04c2eea5b5d621: "Sesión iniciada en Amazon Cognito como {0}{1}."
    case 0x6f5b15dfb08cafdf: "El descriptor de archivo del que la orden lee el token (3 si no se indica otro)."
    case 0x6fefadbe4a772cbb: "En este momento no se puede consultar a Cognito. Su contraseña no ha cambiado."
    case 0x7051caaa97aaa64a:
        """
        Nada ha cambiado: cognito-agent, que conecta con Cognito, no responde. Para eliminar solo los tokens de esta \
        sesión, use --local.
        """
    case 0x7084200e2c65d227: "El código no es correcto. Inténtelo de nuevo.\n"
    case 0x70d885806b56289e: "abierta"
    case 0x71802061e3b24351:
        """
        Esta sesión no tiene un llavero suyo en el que poner los tokens. Entre de nuevo en el equipo y vuelva a \
        intentarlo.
        """
    case 0x72951a010801ee47:
        """
        cognito-agent terminó antes de tiempo, así que su contraseña puede haber cambiado o no. Si ya había escrito \
        dos veces la nueva, pruebe primero con ella. Si no, inténtelo de nuevo.
        """
    case 0x737c7610ac9caeea:
        """
        No se pueden enumerar las sesiones, porque cognito-agent no se puede iniciar. Para ver por qué, ejecute \
        'cognito-session doctor'.
        """
    case 0x74f9c00041137a6e: "Al paquete de tokens le falta el miembro \"{0}\"."
    case 0x75541e2c77c7e41e:
        """
        Esto se ejecuta dentro de screen, que conserva el llavero de la sesión en la que se arrancó.
        """
    case 0x755b9d777fbd0029:
        """
        Este programa es un trabajo de cron o at. Los trabajos no inician sesión, así que no tienen tokens.
        """
    case 0x768cda3e68438a2d: "No se ha cambiado nada: {0}"
    case 0x77708173b50b76dd: "Para root: averigua qué falla en la configuración de este equipo."
    case 0x778e657c0da1bea2: "{0} sesiones"
    case 0x77e1d1075f70a4ca: "git no recibe ningún token: pide la contraseña de {0}, y esta sesión pertenece a {1}."
    case 0x77f9e65df36ea3e7: "{0} (estimación según la configuración)"
    case 0x782b09ba0a3c3a9b:
        """
        Se ha cerrado {0} sesión; Cognito está revocando sus tokens. Los programas que hay en ella siguen en marcha.\n
        """
    case 0x7930bfd4c8c6b495: "Número [1]: "
    case 0x793378198ac2ebcd: "Las dos contraseñas no coinciden.\n"
    case 0x797e78c18e12e743: "No tiene sesiones de Amazon Cognito en este equipo."
    case 0x7b853a6ad2e4e165: "Para eliminar antes esa cuenta: {0}"
    case 0x7cb84eb1d8e4b9ae: "La nueva contraseña no puede ser la anterior.\n"
    case 0x7cdca04a3642a82e: "Cognito no lo ha aceptado. Su contraseña no ha cambiado."
    case 0x7d03a0f65fc98b0b:
        """
        Amazon Cognito: usted cerró esta sesión desde otra de sus sesiones. Ya no tiene tokens, y su pantalla está \
        bloqueada.
        """
    case 0x7d3f627217e4c757:
        """
        No se ha consultado a Cognito, porque cognito-agent no responde. Pida a su administrador que lo arranque.
        """
    case 0x7db3bccd6dc47030: "Muestra quién ha iniciado sesión y cuánto duran los tokens (predeterminado)."
    case 0x7e14f9d91b508d2f: "SERVIDOR"
    case 0x7e3b271c06647f33: "La sesión ha terminado: sus tokens ya no están. Vuelva a iniciar sesión."
    case 0x7e6283be0952e02b: "acceso"
    case 0x7ef64c5a8b7c81f4: "Su sesión ya estaba cerrada. Los tokens que quedaban se han eliminado.\n"
    case 0x7f1226adf0120ab0:
        """
        El grupo de usuarios no lleva una lista de sus sesiones, o esa sesión no está en ella. Nada ha cambiado.
        """
    case 0x80705f67faf5b7fd: "Escribe el secreto aunque la salida estándar sea un terminal."
    case 0x8070672c10a12508: "Los tokens de sus sesiones en este equipo están desbloqueados.\n"
    case 0x81d13a82efd7a0cd: "Escribe el nombre de usuario que Cognito tiene para esta sesión."
    case 0x81f9b6c8464ed702: "exec: no existe tal orden."
    case 0x820bc416a91e5bdc: "Para hacerlo ya: {0}"
    case 0x8227a2982c6a1825: "Este token ha caducado."
    case 0x823d3d5131c01e52:
        """
        Esto se ejecuta dentro de tmux, cuyo servidor conserva el llavero de la sesión en la que se arrancó.
        """
    case 0x827a83b1a40510d6:
        """
        Ejecute 'cognito-session attach' aquí, y 'cognito-session attach --give' en una sesión que tenga tokens. O \
        inicie desde esa sesión un nuevo screen.
        """
    case 0x83acc15a159b6669:
        """
        Se ha cerrado esta sesión: sus tokens se han eliminado, y Cognito los está revocando. Sus otras sesiones \
        siguen abiertas.\n
        """
    case 0x83ea4663548ce694: "código por SMS"
    case 0x84e840f62d8d4b00: "Operación de docker no admitida '{0}'. Admitidas: {1}."
    case 0x85035c3be1ca1657: "No se inició su sesión, porque faltó una respuesta."
    case 0x85a71bf763a411da: "Dirección de correo electrónico: "
    case 0x85aabe223ff4279d:
        """
        Se sigue nombrando a {0} en {1}. Los grupos o identificadores subordinados de allí valen para cualquier \
        usuario con ese nombre.
        """
    case 0x85adf56425feabdc: "Muestra una cuenta."
    case 0x862da4301800e9ef: "Renovada"
    case 0x86aa8914f9307dcb: "Órdenes:"
    case 0x86d0647118d1685b:
        """
        ¿Cerrar la sesión en TODOS los dispositivos, en todas las aplicaciones del grupo de usuarios? [s/N]: 
        """
    case 0x871d001b28157c52: "Esta máquina ya no reserva nada para {0}. Otra cuenta puede recibir el uid {1}."
    case 0x87710a31ffd3efd1:
        """
        No se ha importado ningún token, porque cognito-agent no responde. Pida a su administrador que lo inicie \
        (pam-cognito-agent.socket).
        """
    case 0x8869babfeb90b740: "Para quitarlos, borre el nombre de allí."
    case 0x886d3deb4aaf9c91:
        """
        No se renovó el token: no se pudo conectar con Cognito, o su respuesta se perdió. La sesión conserva sus \
        tokens actuales. Vuelva a intentarlo más tarde.
        """
    case 0x88a32e6cb2a06c0a: "Eso ya es de otra cuenta. Introduzca uno que sea suyo.\n"
    case 0x89449b1db7361ef2:
        """
        solo se ha cerrado esta sesión, porque Cognito no llevó a cabo lo demás en ese momento. Puede que sus otros \
        dispositivos sigan con la sesión abierta: inicie sesión y ciérrela entonces en todos.
        """
    case 0x8a369fde50460118: "Código de su aplicación de autenticación ({0}): "
    case 0x8a7a4b588de40ad2: "conectado a cognito-agent"
    case 0x8a9c121700766590: "No se ha guardado nada. Para este registro, docker recibe siempre el token de la sesión."
    case 0x8aa6c3f5e50d8d36: "El paquete de tokens no es un objeto JSON."
    case 0x8c9d7c3f08ac4b19:
        """
        Esta sesión no tiene llavero propio, solo el predeterminado de la cuenta. En él no se pueden poner tokens.
        """
    case 0x8ccf1289896af6fd: "bloqueada en este equipo"
    case 0x8ce7133e97868b07:
        """
        Cognito no ha aceptado ese código: ya se usó, o tiene más de cinco minutos. Use la nueva dirección de abajo.\n
        """
    case 0x8d1db669be3ece2b: "{0} intento"
    case 0x8d8c9915f466d4ca: "Este token ha caducado, pero su firma sigue siendo válida."
    case 0x8dea9731427bc618: "Para obtener tokens, inicie sesión directamente en esta cuenta, por ssh o en la consola."
    case 0x8e0070f87739d8ad: "Si esta es su última sesión en este equipo, Cognito cierra su sesión en todas partes."
    case 0x8f3dc02890bd8abb: "No se pudo contactar con Cognito, o no pudo hacerlo en este momento."
    case 0x8f755a5e017f3a13:
        """
        No se obtuvieron credenciales de AWS: cognito-agent falló, o no se pudieron poner en la sesión. El registro \
        del sistema indica el motivo.
        """
    case 0x8fb5d045c31c5175: "Cuánto tiempo es válida la exportación (1h si no se indica otro)."
    case 0x90f9802c89dcce97: "no está en esta sesión: la configuración de este equipo lo retiene"
    case 0x917f41ef6685a832: "QUIÉN"
    case 0x92a42b627ac792a6: "Token de acceso"
    case 0x92f36bd837974722:
        """
        No se ha importado ningún token: cognito-agent falló, o no se pudieron poner en la sesión. El registro del \
        sistema indica el motivo.
        """
    case 0x934a749054e61877: "doctor: alguien no puede iniciar sesión y debería, o puede y no debería."
    case 0x93c6ecca06b09a47: "Código enviado por SMS a {0}: "
    case 0x94c2acb8dc2d4ae3:
        """
        No se puede renovar el token, porque cognito-agent no responde. Pida a su administrador que lo arranque \
        (pam-cognito-agent.socket), o vuelva a entrar.
        """
    case 0x94d2006d1b0deb16:
        """
        El token no se renovó: Cognito falló, o respondió otra cosa en su lugar. Inténtelo más tarde.
        """
    case 0x9588aea1c2390e4f: "El código ha caducado. Su contraseña no ha cambiado."
    case 0x974240bb831cf39a:
        """
        Su contraseña se ha cambiado demasiadas veces últimamente. Espere un rato y vuelva a intentarlo.
        """
    case 0x985fc26548062710:
        """
        En este equipo no se bloquean tokens: quien lo administra no ha puesto lock_tokens = yes. No se ha cambiado \
        nada.
        """
    case 0x98ec314695f006ab:
        """
        Aquí no se puede usar una clave de acceso (passkey). ¿Cómo quiere iniciar sesión en su lugar?\n
        """
    case 0x99976579ead198fe:
        """
        Nada ha cambiado: cognito-agent falló. Su administrador puede leer el motivo en el registro del sistema.
        """
    case 0x9a15ee8545eb9d37: "solo un paso"
    case 0x9a2229c241b34976: "Muestra cada paso con su hora en la salida de error. Nunca muestra secretos."
    case 0x9aae9e13c977dc61: "caducado hace {0}"
    case 0x9ae040189add1cb3: "Ruta no válida '{0}' para '{1}'."
    case 0x9b18f38b35a9c1a0: "No se pudo enviar el código. Su contraseña no ha cambiado. Consulte a su administrador."
    case 0x9b2fcb9de4b66441:
        """
        Esta sesión había caducado. Puede que sus otros dispositivos sigan con la sesión abierta: inicie sesión y \
        ciérrela entonces en todos.
        """
    case 0x9b4c2e878b07c6c5: "Cognito revoca los tokens de esta sesión. Sus otras sesiones siguen abiertas."
    case 0x9c26cd561c8141a4:
        """
        Esta sesión ya no tiene tokens. Son de otra de sus sesiones, que sigue abierta. Para revocarlos, cierre la \
        sesión allí.\n
        """
    case 0x9cf750565ad5414e: "hace {0} ({1})"
    case 0x9df00891310dda00: "{0} sigue ahí, y pertenece a ese uid."
    case 0x9e04aa38ecf7ec70: "En este momento Cognito no pudo hacerlo. Nada ha cambiado; vuelva a intentarlo más tarde."
    case 0x9f26843287bb592d: "Grupos"
    case 0x9f40254331fa26e0: "El token de acceso ha caducado."
    case 0x9f9efcc1af5d5f38:
        """
        No se entregaron tokens, porque cognito-agent no responde. Pida a su administrador que lo arranque \
        (pam-cognito-agent.socket).
        """
    case 0xa05174a286cd5cf2:
        """
        El código no era correcto. Su contraseña no ha cambiado. Cognito solo envía unos pocos códigos por hora: si no \
        le llegó ninguno, espere.
        """
    case 0xa0a6ca53588dbb9d:
        """
        Este programa no está en esa sesión, así que no recibe sus tokens. Ejecútelo en la sesión, o ejecute aquí \
        'cognito-session attach'.
        """
    case 0xa145b7a755f80358: "{0} usuario"
    case 0xa158eb642208f064:
        """
        Amazon Cognito: hace mucho que aquí no se escribe nada. Esta sesión termina dentro de dos minutos, salvo que \
        pulse Intro.
        """
    case 0xa1ef771ed722f6f0: "No se pudo ejecutar la orden '{0}': {1}."
    case 0xa206b86097414648: "El código no es correcto o ha caducado.\n"
    case 0xa21b52e373ccc4d4: "Orden desconocida '{0}'."
    case 0xa2bce784450f0c8a: "No se puede usar la clave de tokens de esta sesión. {0}"
    case 0xa2d94b3fb59652fe: "Al salir"
    case 0xa3052b44358fc6b2:
        """
        Aquí no hay credenciales de AWS: esta sesión usa los tokens de otra. Ejecute la orden en la sesión a la que \
        pertenecen los tokens.
        """
    case 0xa39e98c70821d2ba: "Este programa se ejecuta bajo sudo, que no transmite los tokens."
    case 0xa3bb901f28bf57e5: "\n\no escriba en ella esta clave: {0}\n\n"
    case 0xa3be3021b4fe866d: "olvidada"
    case 0xa46e9fb7f6e02677:
        """
        solo se ha cerrado esta sesión, porque Cognito no renovó sus tokens. Puede que sus otros dispositivos sigan \
        con la sesión abierta: inicie sesión y ciérrela entonces en todos.
        """
    case 0xa48f81f001b893d2: "Usuario"
    case 0xa6ab5184d6315895: "Desde"
    case 0xa7738c4d6a77f446: "Los tokens de la sesión están bloqueados hasta que demuestre quién es."
    case 0xa77c2a3e8791b1db: "Bloquea una cuenta en esta máquina, diga lo que diga el pool."
    case 0xa872fe8cce3dd89a: "El paquete de tokens es mayor de lo que cabe en una clave."
    case 0xa9e1f3bdae6ef50d:
        """
        Cerrar la sesión de Amazon Cognito\n\n  1  Solo esta sesión. Sus otras sesiones siguen abiertas.\n  2  Este \
        equipo. Terminan todas sus sesiones aquí; las de otros equipos siguen abiertas.\n  3  {0} Terminan todas las \
        sesiones, en todos los equipos y aplicaciones. No se puede deshacer.\n  4  Cancelar. Nada cambia.\n\n
        """
    case 0xa9f9678a2be28629: "Salga y vuelva a iniciar sesión. Si vuelve a ocurrir, avise a su administrador."
    case 0xaab73931332b5231: "Cancelado: los tokens siguen bloqueados."
    case 0xaabb3eb9e318547c:
        """
        No se ha iniciado la sesión. Su administrador puede leer el motivo en el registro del sistema.
        """
    case 0xaae4a2df730a5b92:
        """
        no se puede escribir en la salida estándar (errno {0}): lo que debería estar allí no está completo. Lo que se \
        hizo está en el registro.
        """
    case 0xabf84d22748a7cdc: "attach necesita un terminal: una sesión muestra un código, y usted lo escribe en la otra."
    case 0xac30b9e99a13fa52: "en otro contenedor"
    case 0xac3a09fb1a907977: "Su cuenta inicia sesión con una clave de acceso (passkey), lo que aquí no es posible."
    case 0xac8daa52e224d0f5: "Una sesión suya espera estos tokens: proceso {0}, terminal {1}, entró por {2}, desde {3}."
    case 0xac9f948b69201422: "Esa dirección o ese número ya es de otra cuenta. Pregunte a su administrador."
    case 0xacb54f828ec68ee0:
        """
        El token no se renovó, porque Cognito no admite más peticiones en este momento. La sesión conserva sus tokens \
        actuales. Inténtelo de nuevo dentro de un minuto.
        """
    case 0xadefc64c7eb40c01:
        """
        solo se ha cerrado esta sesión, porque Cognito denegó lo demás. Puede que sus otros dispositivos sigan con la \
        sesión abierta: inicie sesión y ciérrela entonces en todos.
        """
    case 0xae239213b7c70376: "Estado"
    case 0xae4e8b2975a012a1:
        """
        Demasiadas peticiones suyas a la vez. Nada ha cambiado; vuelva a intentarlo dentro de un minuto.
        """
    case 0xae8547fb2c6e6516:
        """
        Cognito no confirmó el cierre: falló, o respondió otra cosa en su lugar. Los tokens se conservan. Inténtelo \
        más tarde, o cierre solo esta sesión con --local.
        """
    case 0xae93698584a18f5d: "La respuesta no es válida.\n"
    case 0xaeb547fd0391c705: "Falta el final de la dirección. Pegue solo el código.\n"
    case 0xaf63f44c86021554: "s"
    case 0xaf64034c86022ed1: "N"
    case 0xb060637f6b316066:
        """
        No se pueden obtener credenciales de AWS, porque cognito-agent no responde. Pida a su administrador que lo \
        arranque (pam-cognito-agent.socket).
        """
    case 0xb12c74613daecd12:
        """
        Esta sesión comparte ahora los tokens de su otra sesión. Se renuevan a la vez, y se eliminan cuando aquella \
        sesión termina.\n
        """
    case 0xb15c8a6d0d4308cb:
        """
        El diagnóstico examina ficheros y claves que solo root puede ver. Ejecútelo como root: sudo cognito-session \
        doctor.
        """
    case 0xb175268fc35ddae0: "aceptada {0}; añada --online para preguntar ahora"
    case 0xb1762a8df815df1c: "Su contraseña no ha cambiado, porque faltó una respuesta."
    case 0xb1b236f06bb1bc52: "caducado"
    case 0xb1e9564888acacb5: "Las opciones '{0}' y '{1}' no se pueden usar juntas."
    case 0xb1efdfd2d8d8af1c: "No hay tokens de Cognito en esta sesión, así que no se cerró nada. {0}\n"
    case 0xb2c6e52c5b72209e: "No se pudo escribir la respuesta en la salida estándar."
    case 0xb2f1e690d6117f31: "--watch necesita un terminal. En los guiones, use --check o --json."
    case 0xb33b1c3e43013386: "Error: {0}\nUso: {1}\n  Véase '{2}{3} --help' para más información.\n"
    case 0xb3486fac90c376c9:
        """
        Esta sesión no tiene tokens de Cognito, así que no se ha cerrado nada. {0} {1} Para cerrar la sesión en sus \
        otros dispositivos, inicie antes sesión con Cognito y ciérrela entonces en todos.
        """
    case 0xb3538d0bf48d0adc:
        """
        Amazon Cognito: se ha cerrado su sesión desde otro lugar, o ha iniciado más sesiones de las que el grupo de \
        usuarios permite a la vez. Esta sesión sigue, pero sin sus tokens. Para obtener otros: cognito-session sign-in
        """
    case 0xb3a98ad2b33f4ee1:
        """
        No se ha cambiado nada, porque cognito-agent no responde. Pida a su administrador que lo inicie \
        (pam-cognito-agent.socket).
        """
    case 0xb3b99e953b1716b6:
        """
        Esta cuenta no inicia sesión con Cognito en este equipo. Su administrador decide cuáles lo hacen.
        """
    case 0xb432413afbbab173: "Ejecútelo sin sudo, como el usuario que inició sesión."
    case 0xb486810534d46314: "Establece una nueva contraseña con un código, si ha olvidado la anterior."
    case 0xb53f7a197981b790: "sí"
    case 0xb54dd1696401cfe2: "Escribe un valor del JSON como texto sin formato. Con sessions: una línea por sesión."
    case 0xb5617c19799ea15c: "usted"
    case 0xb5ac3195f418e9bd: "Quite antes esa línea."
    case 0xb66be6c68844b826:
        """
        Esta sesión ya no se puede renovar, y termina cuando caduque su token de acceso. Se perdió la respuesta de \
        Cognito con un nuevo token de renovación, o se usó una copia del antiguo. Para iniciar sesión de nuevo, \
        ejecute 'cognito-session sign-in'.
        """
    case 0xb674083e52ef6903: "Da los tokens de esta sesión a otra suya que ejecuta attach."
    case 0xb6b08c614a135661:
        """
        Esta sesión ya tiene tokens, así que nada ha cambiado. Para usar los de otra sesión, ejecute antes \
        'cognito-session sign-out'.
        """
    case 0xb6ccebae720f770b: "Esta sesión contiene además tokens de {0} (clave {1})."
    case 0xb71f62d4cd5cf30a: "el registro es de root; ejecute esto como root."
    case 0xb816c415e7edc7f5: "Su cuenta necesita otro paso para iniciar sesión, que aquí no es posible."
    case 0xb8497e2ea77ba5d2:
        """
        Cognito ya no acepta esta sesión, y sus tokens han desaparecido. Para iniciar sesión de nuevo, ejecute \
        'cognito-session sign-in'.
        """
    case 0xb8fc142f9206c279: "Responde a git como su ayudante de credenciales, git-credential-cognito."
    case 0xb902f8202a9f7fa5:
        """
        No se ha consultado a Cognito: cognito-agent no conoce esta sesión. Puede que ya esté cerrada; vuelva a \
        iniciar sesión.
        """
    case 0xb9e8a2c682ea0eee: "¿Cómo quiere recibir el código?\n"
    case 0xbb3b0c9be43c7362:
        """
        Una contraseña tiene 256 caracteres como máximo, sin caracteres de control, y no empieza ni acaba con un \
        espacio.\n
        """
    case 0xbb5797f2155805fd: "Quite antes el nombre de allí."
    case 0xbc09fb45576a0a19: "Cierra la sesión aquí o en todos los dispositivos. En un terminal, pregunta."
    case 0xbc2009dc446e2430: "Número de teléfono, con prefijo internacional (+34...): "
    case 0xbc321fd0cbb75d7d:
        """
        La orden no se inició: cognito-agent falló, o no se pudieron poner los tokens en el llavero de la orden. El \
        registro del sistema indica el motivo.
        """
    case 0xbc5f6ff7da1b2616: "Escribe el token como cabecera HTTP: Authorization: Bearer ..."
    case 0xbd1331aba7343d74:
        """
        La orden no se inició: su token no se pudo poner en un archivo de memoria sellado (memfd_create).
        """
    case 0xbf24468c1e417bc9: "El token contiene caracteres no válidos y no se ha entregado."
    case 0xbfb72c9ff3d10942:
        """
        Usa el token de acceso, que puede modificar su cuenta de Cognito (predeterminado en token, exec y claims).
        """
    case 0xc0ea1335157a6829:
        """
        No se entendió la petición. Las partes de pam-cognito de este equipo no encajan entre sí; avise a su \
        administrador.
        """
    case 0xc13ee7127a01381f: "dañada, se elimina pronto"
    case 0xc21dfda158856f0d:
        """
        Inicie sesión directamente en la cuenta con la que se ejecuta este programa. Para corregirlo en su, ponga \
        pam_keyinit.so antes de pam_cognito.so en /etc/pam.d.
        """
    case 0xc23960f5a429c896: "hecha por otra versión"
    case 0xc2b8170ae1b2f32d: "Los tokens duran lo que ha fijado el administrador del grupo de usuarios."
    case 0xc2d94bb96f52f8c6:
        """
        Ninguna otra sesión suya en este equipo espera tokens. Ejecute primero allí cognito-session attach: su código \
        vale dos minutos.
        """
    case 0xc37bdb78e7741fdb:
        """
        No hay ninguna sesión '{0}' en la lista de sus sesiones del grupo de usuarios. Para verla, ejecute \
        'cognito-session sessions --everywhere'.
        """
    case 0xc3a2e8dbedfd0b4e:
        """
        No se ha exportado nada, porque este equipo no puede sellar exportaciones. El administrador puede ejecutar \
        'systemd-creds setup' como root y mirar el registro.
        """
    case 0xc4001f6fd226d6aa: "Renovado. El token de acceso dura {0}.\n"
    case 0xc426eef907a8c947: "Escriba su código si esa sesión es suya, o pulse Intro para cancelar: "
    case 0xc4d576d49ce58644: "Aquí no se ha establecido ninguna contraseña nueva."
    case 0xc543ae35e480bfbc:
        """
        Su cuenta necesita una dirección de correo electrónico, a la que se envía un código al iniciar \
        sesión.\nDirección de correo electrónico: 
        """
    case 0xc55ab5c1000ec621:
        """
        No se ha terminado ninguna sesión, porque cognito-agent no se puede iniciar. Para ver por qué, ejecute \
        'cognito-session doctor'.
        """
    case 0xc6306344b30d8496: "Uso:"
    case 0xc66c05cd90aa5183: "arrancado un cognito-agent"
    case 0xc744fe12320bf360: "[USUARIO]"
    case 0xc7a2305218695948: "Ejecuta una orden que halla un token válido en un descriptor o una variable."
    case 0xc7c2c3c448989a23:
        """
        Cognito no admite más peticiones en este momento, así que no se sabe si la sesión sigue siendo válida. \
        Inténtelo de nuevo dentro de un minuto.
        """
    case 0xc83ffb10ea2dc325: "Muestra lo que dice un token y si su firma es válida."
    case 0xc84d5e5d1e5ebd2e: "No hay sesiones de Amazon Cognito en este equipo."
    case 0xc87f4929a1fd3808: "Ese código es de otro inicio de sesión. Abra la dirección de abajo, y ninguna otra.\n"
    case 0xc8ed3ba57e8251af:
        """
        Cognito no dijo si la sesión sigue siendo válida: falló, o respondió otra cosa en su lugar. Inténtelo más \
        tarde.
        """
    case 0xc8ede71c16690670: "Ninguna cuenta de este equipo viene del grupo de usuarios."
    case 0xc97fa19be85e4aa0: "Es lo esperado. Un trabajo que necesita acceso debe tener credenciales propias."
    case 0xc9acec5808a6c3ce:
        """
        Este equipo no conoce ninguna sesión suya de Cognito con esa clave. Vuelva a iniciar sesión.
        """
    case 0xc9bf86129ee8a33a: "este proceso no se puede proteger (prctl); contiene tokens, así que se detiene aquí."
    case 0xc9cfcf1d6350143c: "No se ha escrito nada.\n"
    case 0xca0936473e962ed7:
        """
        Si esta cuenta inicia sesión con Cognito, ejecute 'cognito-session sign-in'. Si otra de sus sesiones tiene \
        tokens, ejecute 'cognito-session attach'. Las demás cuentas no tienen tokens.
        """
    case 0xca27a6d6b3d35b45: "La respuesta llegó demasiado tarde. Inténtelo de nuevo.\n"
    case 0xcb3532919cb91fb0: "Su contraseña no se puede restablecer con un código. Pida una nueva a su administrador."
    case 0xcba5c9db00a2af26: "'{0}' no es un argumento de '{1}'."
    case 0xcc2a7cff501f70b0: "Cierra todas sus sesiones, en todos los equipos y en todas las aplicaciones."
    case 0xcc4b0882dcfdef2d: "Opciones:"
    case 0xcc64633145acdb20: "{0} durante {1}"
    case 0xcd34e4a04e8bde10: "{0} minutos"
    case 0xce21cc567325153d:
        """
        Se han cerrado {0} sesiones; Cognito está revocando sus tokens. Los programas que hay en ellas siguen en \
        marcha.\n
        """
    case 0xce7d27485aea71e2:
        """
        solo se ha cerrado esta sesión, porque su cuenta está desactivada. Puede que sus otros dispositivos sigan con \
        la sesión abierta: avise a su administrador.
        """
    case 0xce98109ad91b3012:
        """
        Su proveedor de identidad no ha iniciado su sesión. Vuelva a intentarlo, o pregunte a su administrador.
        """
    case 0xceef60af0ee227df: "código de una aplicación de autenticación"
    case 0xcf2d075a0339a0fa:
        """
        No se pueden enumerar sus sesiones, porque cognito-agent no responde. Pida a su administrador que lo inicie \
        (pam-cognito-agent.socket).
        """
    case 0xcf37289eaa96f8cf: "Los programas que ya están en marcha siguen. Para terminarlos: {0}"
    case 0xcf4338d3b39626f7: "Pone el token en esta variable de entorno. Sus otros programas pueden leerla."
    case 0xcfe4d7fb3a758c1d: "El grupo de usuarios enumera {0} sesiones suyas."
    case 0xd0a094f5068d103f:
        """
        Su sesión sigue abierta, porque Cognito no admite más peticiones en este momento. Inténtelo de nuevo dentro de \
        un minuto, o cierre solo esta sesión con --local.
        """
    case 0xd0aefaca19783a06:
        """
        Los tokens están bloqueados: ningún programa de esta sesión puede leerlos. Un programa que ya ha leído un \
        token puede usarlo hasta que caduque.\n
        """
    case 0xd0ecaa0ca4f15879:
        """
        Con --aws: el nombre que el administrador dio a las credenciales (si no se indica: default).
        """
    case 0xd100a63084fe04c6: "Ha tardado demasiado. Vuelva a iniciar sesión."
    case 0xd1fb89b454eea23c: "Desbloquea los tokens de todas sus sesiones aquí, con su contraseña de Cognito."
    case 0xd28395251e821e89: "Responde a docker como su ayudante de credenciales, docker-credential-cognito."
    case 0xd2f8749660902f7e:
        """
        solo se ha cerrado esta sesión, porque sus tokens no permiten más. Puede que sus otros dispositivos sigan con \
        la sesión abierta: avise a su administrador.
        """
    case 0xd3b8a91deab35cee:
        """
        Nada ha cambiado: cognito-agent tiene demasiadas peticiones suyas. Vuelva a intentarlo dentro de un minuto.
        """
    case 0xd3d754a889602ff1:
        """
        En este equipo no se exportan tokens: quien lo administra no ha puesto export_tokens = yes. No se ha exportado \
        nada.
        """
    case 0xd40ff3f774a0cb07:
        """
        Donde tenga la sesión iniciada, ejecute cognito-session attach --give y escriba este código antes de dos \
        minutos: {0}
        """
    case 0xd416c334210554b7: "Su cuenta necesita una aplicación de autenticación. Escanee este código con ella:\n\n"
    case 0xd49a895258743e51: "Pida a quien administra este equipo o contenedor que permita keyctl(2)."
    case 0xd4a0ae038a46a055:
        """
        Cognito no puede hacer esto por ahora. Inténtelo más tarde. Si no sirve, pregunte a su administrador.
        """
    case 0xd54e45d5ff840f82: "El grupo de usuarios enumera {0} sesión suya."
    case 0xd55b7f3465aa4ef7:
        """
        Para root: termina todas las sesiones de este usuario, o la sesión con este número. Con --everywhere: termina \
        la sesión suya con este ID.
        """
    case 0xd5cde1161f96c42f:
        """
        cognito-agent falló, y los tokens pueden estar bloqueados o no. Para verlo, ejecute 'cognito-session status'. \
        El registro del sistema indica el motivo.
        """
    case 0xd5d93bb92037ec75:
        """
        Se ha cerrado su única sesión en este equipo: sus tokens se han eliminado, y Cognito los está revocando. Las \
        sesiones en otros lugares siguen abiertas.\n
        """
    case 0xd623fe6abbe45042: "no se puede escuchar en {0} (errno {1}); su carpeta debe existir y ser de root."
    case 0xd63aa934f4b6a19b: "Muestra la versión."
    case 0xd6515e149216513f:
        """
        Su contraseña no ha cambiado, porque cognito-agent no responde. Pida a su administrador que lo arranque \
        (pam-cognito-agent.socket), o restablezca la contraseña donde suele iniciar sesión.
        """
    case 0xd7fc16f985652f86:
        """
        solo se ha cerrado esta sesión, porque su cuenta no está confirmada. Puede que sus otros dispositivos sigan \
        con la sesión abierta: confírmela, inicie sesión y ciérrela entonces en todos.
        """
    case 0xd8547695f094171c:
        """
        No se ha iniciado la sesión: la contraseña o el código no se ha aceptado. Inténtelo de nuevo. Si ha olvidado \
        la contraseña, ejecute cognito-session forgot-password.
        """
    case 0xd953f22165f7f9c2: "Los tokens de Cognito de esta sesión han caducado y ya no están."
    case 0xd9adaec5f275d846: "NOMBRE"
    case 0xdbe084e3d7566c73: "iniciándose"
    case 0xdcea3c1661088153: "Debe cambiar ahora su contraseña.\n"
    case 0xddb7fb15e1743cce:
        """
        No se cambió nada: no se puede leer {0} (errno {1}), así que allí puede usarse el uid {2}.
        """
    case 0xe1790a559e56e1a5: "{0} sesión"
    case 0xe1a9977f1c8fa114:
        """
        cognito-agent no pudo renovar el token. Su administrador puede leer el motivo en el registro del sistema.
        """
    case 0xe1ce0d4d740cd55b: "Con --watch: muestra también avisos en el escritorio (notify-send)."
    case 0xe1d61735fc00f3fc: "{0} días"
    case 0xe28a4e2d4993599b: "Usuario de Cognito"
    case 0xe299c6bb6da93813: "Aplicación cliente"
    case 0xe2f273a286fc86b0: "menos de un minuto"
    case 0xe32a15b08f4f032f: "[--] ORDEN [ARGUMENTO]..."
    case 0xe3317e26ddb00300: "cerrándose"
    case 0xe3a027fddacc4c99:
        """
        Este programa sigue en marcha, pero su sesión ha terminado: el llavero de la sesión se revocó al salir.
        """
    case 0xe4127710296460e5:
        """
        Su nueva contraseña está establecida, pero el inicio de sesión no se completó. Vuelva a iniciar sesión con la \
        nueva contraseña.
        """
    case 0xe4e6b04a73ae866d:
        """
        Su contraseña se ha restablecido. Elija ahora una nueva, con el código que se le envió para ello.\n
        """
    case 0xe506c6f37aabc760:
        """
        No se revoca nada: los tokens son de otra de sus sesiones. Siguen siendo válidos hasta que aquella termine.
        """
    case 0xe56615637cae1bf3: "Cancelado: no se entregaron tokens."
    case 0xe58464a4d5966e79: "Las credenciales de AWS que ya se entregaron siguen siendo válidas: {0}."
    case 0xe58c88829e627170: "Escribe un texto corto para el indicador del shell. Nunca espera."
    case 0xe62200d41c1b8088:
        """
        Amazon Cognito: hace mucho que aquí no se escribe nada, así que se ha cerrado su sesión de Cognito. Esta \
        continúa sin tokens. Para obtener otros: cognito-session sign-in
        """
    case 0xe6337c4911743cef: "Sesión iniciada en Amazon Cognito como {0}{1}, pero el token de acceso ha caducado."
    case 0xe7b8e74e8cf04e9b:
        """
        Se pasa por alto la clave {0}, \"{1}\": es del uid {2} y tiene permisos {3}. Las claves de pam_cognito son de \
        root y tienen permisos 0b3f0000.
        """
    case 0xe7c298c42b44b6a0: "Amazon Cognito: este inicio de sesión ha caducado. Esta sesión termina ahora."
    case 0xe7c5e049d29fffe1: "hasta {0}"
    case 0xe7c9289ebb708c69: "Olvida una cuenta; los archivos se quedan, y ninguna otra cuenta recibe su uid."
    case 0xe8a5df2bbb90190b: "Claves ssh"
    case 0xe8e1cc923859f3da:
        """
        se han cerrado {0} de sus {1} sesiones en este equipo. Las demás están ocupadas con otra petición. Inténtelo \
        de nuevo dentro de un minuto.
        """
    case 0xe900ff1e25743047:
        """
        No se ha importado nada: la entrada estándar no contiene una exportación de 'cognito-session export'.
        """
    case 0xe91a3dcdbc5279af: "Imprimir credenciales de AWS para sus SDK (credential_process)."
    case 0xe97a527b750de274: "Amazon Cognito: usted cerró esta sesión desde otra de sus sesiones. Termina ahora."
    case 0xeaa876b75b2d9b50:
        """
        En este momento no se puede conectar con Cognito desde este equipo. Nada ha cambiado; vuelva a intentarlo más \
        tarde.
        """
    case 0xeab778959325991c:
        """
        docker no recibe ningún token para {0}: credHelpers en el config.json de docker no incluye este registro.
        """
    case 0xec26e466b1c3578f:
        """
        No se ha importado ningún token: la exportación no se hizo en este equipo para su cuenta, o está dañada.
        """
    case 0xed4e131272c21660: "No hay tokens en esta sesión."
    case 0xedcfbd466d489e7f:
        """
        Amazon Cognito: este inicio de sesión ha caducado. Los tokens de esta sesión ya no están, y su pantalla está \
        bloqueada.
        """
    case 0xee320fab1863c15a:
        """
        No se ha consultado a Cognito, porque cognito-agent falló. Su administrador puede leer el motivo en el \
        registro del sistema.
        """
    case 0xee48492389624731: "Contraseña actual: "
    case 0xee51a3243e6a22ea: "Renueva los tokens ahora, aunque no hayan caducado."
    case 0xeea5aa2e6044c6c8: "doctor: funciona, y algo debería corregirse."
    case 0xeef5b889609e297f: "Error: {0}\n"
    case 0xef1f71df80dae3cb:
        """
        No se ha exportado nada: una exportación debe sellarse para este equipo y para usted. Añada la opción \
        --sealed.
        """
    case 0xef49aec68fd1dc66: "Nombre"
    case 0xef98779e122a2cdf:
        """
        Amazon Cognito: este inicio de sesión ha caducado. Esta sesión sigue abierta, pero sin sus tokens. Para \
        obtener otros: cognito-session sign-in
        """
    case 0xf131b3ce2c47da81: "Pregunta a Cognito si la sesión sigue siendo válida."
    case 0xf15ef76ee45f1156: "Usa el token de ID (predeterminado en las demás órdenes, y con --header)."
    case 0xf170802333651cfb: "No se inició su sesión."
    case 0xf1e09e4c2f2607cb:
        """
        No se pudo conectar con Cognito, así que no se sabe si la sesión sigue siendo válida. Vuelva a intentarlo más \
        tarde.
        """
    case 0xf1e679caacfd116b: "La sesión contiene algo que no es un JSON Web Token."
    case 0xf201726bfffe6b96: "Escribe una credencial para kubectl (su complemento exec)."
    case 0xf22cd90c84294e10: "Consultando a Cognito..."
    case 0xf4e2f2acc3e50c1b: "Desbloquear necesita un terminal en el que preguntar."
    case 0xf4ff76bd67eae735: "Escribe un objeto JSON."
    case 0xf52cd26bfe44f4f4: "[NOMBRE]"
    case 0xf84f97b4633670e9: "abierta"
    case 0xf8ee861011ac7ee9: "Importa tokens a esta sesión de una exportación en la entrada estándar."
    case 0xf92731af6bffe96f:
        """
        Cognito no puede cambiar contraseñas por ahora. Su contraseña no ha cambiado. Inténtelo más tarde.
        """
    case 0xfa09649a03fe11b7: "un inicio de sesión en un navegador"
    case 0xfa52db2cb3b08555:
        """
        Nombre de credenciales no válido '{0}' para '{1}': use como máximo 64 letras, cifras, '-', '_' y '.'.
        """
    case 0xfa5ba219a0991116: "AWS"
    case 0xfac1323881cd0beb:
        """
        Los tokens de la sesión no se pudieron verificar. Salga, vuelva a iniciar sesión y avise a su administrador.
        """
    case 0xfadc7c1a5900f425:
        """
        No se cambió nada: se sigue nombrando a {0} en {1}, y eso valdría para el siguiente usuario con ese nombre.
        """
    case 0xfb2d4ab6bf9efd6e: "Sella la exportación para este equipo y para usted. Esta opción es obligatoria."
    case 0xfb6bd3cd30041517: "No se pueden leer las cuentas de esta máquina: {0}"
    case 0xfc36257e3edc0ccf:
        """
        Enumera las sesiones del grupo de usuarios: las suyas en todos los dispositivos y aplicaciones.
        """
    case 0xfc9dc72ce48b99e0:
        """
        Amazon Cognito: los tokens de esta sesión caducan dentro de {0} min y no se pueden volver a renovar. Para \
        obtener otros: cognito-session sign-out --local y luego cognito-session sign-in
        """
    case 0xfcf427def0b6b70e: "No pregunta. Sin --global, cierra solo esta sesión."
    case 0xfd3cd1f0504b5aa6: "Cierra solo esta sesión. Sus otras sesiones siguen abiertas."
    case 0xfda9f2aaded6d451: "Código de su aplicación de autenticación: "
    case 0xfdbddadf86d70f9c: "Libera el uid de una cuenta olvidada, si nada lo tiene."
    case 0xfe411895d8c19eff:
        """
        Los tokens solo se pueden entregar entre programas de un mismo usuario en un mismo equipo. No pueden \
        participar root, los programas set-uid ni los programas de otro contenedor.
        """
    case 0xff038c64fefaa9df:
        """
        kubectl no recibe ningún token: la dirección del clúster no es https, o su certificado no se verifica.
        """
    case 0xff9017af27a8d47f: "useradd puede dar el uid {0} a su próximo usuario, y con él todos esos archivos."
    #endif
    default: nil
    }
}
