// Made by packaging/po/catalogue from packaging/po/es.po: change that instead.
// swift-format-ignore-file

/// The Spanish text in place of the English one with that key; nil where there is none.
func spanishText(_ key: UInt64) -> StaticString? {
    switch key {
    case 0x0f1a9984a8e5097e:
        """
        Se están comprobando varios inicios de sesión de esta cuenta a la vez. Espere unos segundos y vuelva a \
        intentarlo.
        """
    case 0x1a0b0c2005c54570:
        """
        En este momento no se pueden restablecer contraseñas en este equipo. Su administrador encontrará el motivo en \
        el registro.
        """
    case 0x1ccd72da6cb97ac8:
        """
        Su contraseña no se guarda aquí. Cámbiela donde inicia sesión en los demás servicios de su empresa.
        """
    case 0x249b6a47e9e3fdac:
        """
        Otro inicio de sesión suyo en este equipo no ha terminado todavía. Vuelva a intentarlo dentro de un minuto.
        """
    case 0x2e4ed03adb70ed82:
        """
        Esta cuenta no puede iniciar sesión en este equipo. Si debería poder, consulte al administrador.
        """
    case 0x4ff8c751908d238e:
        """
        Sesión iniciada en Cognito como {0}, para {1} min como máximo. Para ver sus tokens, ejecute: cognito-session
        """
    case 0x5a952f25bdd249f0:
        """
        Cognito envió varios códigos para esta cuenta que no se introdujeron. Introduzca el código en la ventana que \
        lo pide, o vuelva a intentarlo dentro de {0} min.
        """
    case 0x5fb43342af0049ec:
        """
        La petición falló en este equipo, y nada ha cambiado. Avise a su administrador, que puede ver el motivo en el \
        registro.
        """
    case 0x65286d86bb7b9bde: "Cognito guarda esta contraseña y pide la actual antes de cambiarla."
    case 0x668ef1003215cc25:
        """
        Este equipo exige un paso de autenticación adicional que Cognito no ha pedido. El administrador puede ver el \
        motivo en el registro.
        """
    case 0x77a4dadca07df538:
        """
        Cognito guarda la contraseña de esta cuenta, y este programa no puede dar la actual. Cambie la contraseña en \
        el grupo de usuarios.
        """
    case 0x7841b23d68fb3b56:
        """
        La configuración de Cognito de este equipo tiene un error o no corresponde al grupo de usuarios. Nada ha \
        cambiado. Avise a su administrador.
        """
    case 0x9e35f3c34061c586:
        """
        Su cuenta en esta máquina acaba de cambiar. Inicie sesión una vez más, con una conexión nueva.
        """
    case 0xa03a2370dcd1eced:
        """
        Sesión iniciada en Cognito como {0}, para {1} días como máximo. Para ver sus tokens, ejecute: cognito-session
        """
    case 0xa24c61349a35d09a:
        """
        Las claves ssh de su cuenta en este equipo han cambiado; ahora hay {0}. Si usted no las ha cambiado, ejecute \
        'cognito-session sign-out --global' y avise a su administrador. Un atacante puede tener sus tokens.
        """
    case 0xaa57ef540a35346a: "Contraseña, o solo Intro para iniciar sesión con un navegador: "
    case 0xb18e238cb42ccb6b:
        """
        En este equipo no cabe ninguna sesión más. Vuelva a intentarlo más tarde, o avise a su administrador.
        """
    case 0xbac8336c1a35768a:
        """
        Demasiados intentos de iniciar sesión en esta cuenta fallaron. Vuelva a intentarlo dentro de {0} min.
        """
    case 0xbda18207b71bbe1f: "Se cerraron todas sus sesiones durante este inicio de sesión. Vuelva a iniciar sesión."
    case 0xc15052d88c2285aa: "Su contraseña ha cambiado. Inicie sesión con la nueva."
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
    case 0xf30ef3fef4b64c6d:
        """
        Cognito no está disponible, y no se puede usar en su lugar una contraseña local. Vuelva a intentarlo más \
        tarde.
        """
    case 0xf493cf705b936599:
        """
        Demasiados inicios de sesión esperan una respuesta en este equipo. Termine o cancele los suyos y vuelva a \
        intentarlo.
        """
    case 0xf504c8fe4458babd:
        """
        Sesión iniciada en Cognito como {0}, para {1} horas como máximo. Para ver sus tokens, ejecute: cognito-session
        """
    case 0xf8efc5e71653fedd: "Tiene demasiadas sesiones en este equipo. Cierre una de ellas y vuelva a iniciar sesión."
    // The module says no more than that.
    #if !hasFeature(Embedded)
    case 0x00be0cf45a9ee667: "{0} día"
    case 0x011358f19e43a31e:
        """
        Solo root puede terminar las sesiones de otros usuarios. Para terminar la suya, ejecute 'cognito-session \
        sign-out'.
        """
    case 0x01153949ffb75824:
        """
        root ya no bloquea la cuenta {0}. La próxima sincronización la desbloquea, si el grupo de usuarios admite al \
        usuario.
        """
    case 0x012aede81e01dd4e: "No se pudo enviar el código. Su contraseña no ha cambiado. Consulte a su administrador."
    case 0x014b5d8b8e19be69: "No se cambió nada: {0} pertenece al uid o al gid {1}."
    case 0x017a3c57146d6211: "{0} usuarios"
    case 0x03dceedc70a42c93: "Bloquea los tokens hasta que demuestre quién es (requiere lock_tokens)."
    case 0x04e4e6b3e8eb0da2:
        """
        la entrada estándar no es un socket SOCK_SEQPACKET conectado; systemd o 'listen' lo proporcionan.
        """
    case 0x051313ce35aa164a: "--verify ya no existe. Ejecute dpkg --verify pam-cognito o rpm --verify pam-cognito."
    case 0x0516312c6a0189d8:
        """
        Da credenciales de AWS, en las variables propias de AWS. Sus otros programas pueden leerlas.
        """
    case 0x0631df7ed403c880:
        """
        llavero {0} ({1}), clave {2}; compartida por otra sesión suya, desaparece cuando esa termina
        """
    case 0x06999eb9ba37db30:
        """
        Nada ha cambiado: cognito-agent, que conecta con Cognito, no responde. Para eliminar solo los tokens de esta \
        sesión, use --local.
        """
    case 0x06b8cf312b7a6d53: "Los tokens de esta sesión están bloqueados."
    case 0x07ea7d20263b28d0: "Mantiene los tokens disponibles para la orden mientras los de la sesión están bloqueados."
    case 0x081372088d17fe56: "La opción '{0}' necesita un valor."
    case 0x0870eec59f6aa486: "Inicie sesión como esta persona, por ssh o en la consola."
    case 0x09172d8f3927a4c3:
        """
        Esta sesión no tiene tokens de Cognito, así que no se ha cerrado nada. {0} {1} Para cerrar la sesión en sus \
        otros dispositivos, inicie antes sesión con Cognito y ciérrela entonces en todos.
        """
    case 0x09240e07b5b8d640: "ID"
    case 0x092664fcd54b0527:
        """
        Amazon Cognito: usted cerró esta sesión desde otra de sus sesiones. Continúa, pero ya no tiene tokens. Para \
        obtener otros: cognito-session sign-in
        """
    case 0x09717d95c290e101:
        """
        No se puede renovar el token, porque cognito-agent no conoce esta sesión. Vuelva a iniciar sesión.
        """
    case 0x09aa2ee004ffcad5: "Token de ID"
    case 0x09ab1836777e6110: "Sesión no válida o caducada"
    case 0x0a0064254012a66f: "Nada ha cambiado.\n"
    case 0x0a262c1a95f0b150: "Para hacerlo ya: {0}"
    case 0x0a6484e650d0a109: "Estado de salida:"
    case 0x0b072d07bcf69ead: "sign-out: se ha cerrado menos de lo que se había pedido."
    case 0x0b1492eda68c3b32:
        """
        El token no se renovó, porque Cognito no admite más peticiones en este momento. La sesión conserva sus tokens \
        actuales. Inténtelo de nuevo dentro de un minuto.
        """
    case 0x0c6a9e02b46397ee: "La clave de tokens desapareció mientras se leía: la sesión se está cerrando."
    case 0x0ce8eeaf9aa0c421: "Shell"
    case 0x0cfe51ea86bf84ec:
        """
        Esta sesión comparte ahora los tokens de su otra sesión. Se renuevan a la vez, y se eliminan cuando aquella \
        sesión termina.\n
        """
    case 0x0d85b56178d301c3: "{0} minuto"
    case 0x0ea36339befbf71e: "Desbloquear necesita un terminal en el que preguntar."
    case 0x0f533ff11ac8708e: "Escribe una credencial para kubectl (su complemento exec)."
    case 0x0f61018b366c7ad2: "Sella la exportación para este equipo y para usted. Esta opción es obligatoria."
    case 0x0ff80cc20902cd6c: "Olvida una cuenta; los archivos se quedan, y ninguna otra cuenta recibe su uid."
    case 0x10f33339fbd8edaf: "Los tokens de Cognito de esta sesión han caducado y ya no están."
    case 0x11672c115256bf03: " ¿Quería decir '{0}'?"
    case 0x11b5422311eb8a40: "Ejecute 'cognito-session sign-in'; o salga y vuelva a iniciar sesión."
    case 0x12180baebc2e83ee: "Los programas que ya están en marcha siguen. Para terminarlos: {0}"
    case 0x1248a54250f925c7: "Demasiados intentos. Espere unos minutos y vuelva a intentarlo."
    case 0x12b1ba4252520a5d: "entrada {0}"
    case 0x139af51e62133908: "{0} (esta sesión)"
    case 0x139d4a10d35bb6a8:
        """
        Los tokens se han eliminado de esta sesión. Cognito los revoca solo cuando usted salga, porque cognito-agent \
        no responde.\n
        """
    case 0x14067866ad24aece:
        """
        kubectl no recibe ningún token: la dirección del clúster no es https, o su certificado no se verifica.
        """
    case 0x14bae8d23bf91712: "Su contraseña no ha cambiado."
    case 0x14d9581e2c0bff86: "Los tokens duran lo que ha fijado el administrador del grupo de usuarios."
    case 0x1556e8f62cb25feb: "Para quitarlos, borre el nombre de allí."
    case 0x157aa45c26b9c14d: "{0} de {1}."
    case 0x163745e71d034de4: "'{0}' necesita una orden que ejecutar."
    case 0x16a45bc846a8b324: "git no recibe ningún token: pide la contraseña de {0}, y esta sesión pertenece a {1}."
    case 0x17b8051cd84d1987: "La respuesta no se ha aceptado.\n"
    case 0x17c6d618fc8e9b9c:
        """
        Duración no válida '{0}' para '{1}': use segundos, o un número seguido de s, m, h o d, como 5m.
        """
    case 0x17dd2e194f31d276: "RUTA"
    case 0x180954171b9e3412: "este proceso no se puede proteger (prctl); contiene tokens, así que se detiene aquí."
    case 0x18bd114f8a1162fe: "Opción desconocida '{0}'."
    case 0x18d80068d7f80333: "Este token ha caducado. Su firma sigue siendo válida."
    case 0x199eab7748614020:
        """
        Su cuenta necesita una dirección de correo electrónico, a la que se envía un código al iniciar \
        sesión.\nDirección de correo electrónico: 
        """
    case 0x1a115877269b1f88: "La contraseña o el código no se ha aceptado. No ha cambiado nada; inténtelo de nuevo."
    case 0x1c1c6007a189f7da: "Vuelva a iniciar sesión y arranque este programa desde la nueva sesión."
    case 0x1c2baa9b634e96c6: "Cognito está saturado en este momento. Vuelva a intentarlo dentro de un minuto."
    case 0x1c47a511db91b18a: "Si existe tal cuenta, su titular recibirá un código por correo electrónico o SMS.\n"
    case 0x1c496d23b14a4c03:
        """
        Últimamente se han pedido demasiados códigos con ese nombre. No se envió nada; inténtelo de nuevo dentro de \
        cinco minutos.
        """
    case 0x1c6850b3cff3ddc5:
        """
        No se entregaron tokens, porque cognito-agent no responde. Pida a su administrador que lo arranque \
        (pam-cognito-agent.socket).
        """
    case 0x1d1b37d50c740594:
        """
        No se ha importado ningún token: la exportación se importó antes, ha caducado, o ha terminado su sesión.
        """
    case 0x1d2e12db3f78a0c8: "Nueva contraseña: "
    case 0x1daea041562d3014: "{0} sigue ahí, y pertenece a ese uid."
    case 0x1dcf7a759f2b0816:
        """
        solo se ha cerrado esta sesión, porque su cuenta está desactivada. Puede que sus otros dispositivos sigan con \
        la sesión abierta: avise a su administrador.
        """
    case 0x1dcf9a000357e28a:
        """
        se esperaba 'reap [--once | --now | --dry-run]', 'drain', 'failures [--reset USUARIO]', 'accounts sync \
        [--dry-run | --removals NÚMERO]', 'accounts adopt [--apply] [USUARIO...]', 'keys USUARIO', 'serve' o 'listen'. \
        Véase cognito-agent --help.
        """
    case 0x1e771f023e12ab71:
        """
        Para renovarlo, ejecute 'cognito-session refresh'. Cognito tiene que aceptar aún el token de renovación.
        """
    case 0x1f3e4acd97836f05: "La opción '{0}' necesita el nombre de un valor JSON."
    case 0x1f52643063dbcc1a: "un dispositivo desconocido"
    case 0x1f9405141ab9d046:
        """
        Esta sesión ya no se puede renovar, y termina cuando caduque su token de acceso. Se perdió la respuesta de \
        Cognito con un nuevo token de renovación, o se usó una copia del antiguo. Para iniciar sesión de nuevo, \
        ejecute 'cognito-session sign-in'.
        """
    case 0x1fb1f8337f0ce5b4: "doctor: funciona, y algo debería corregirse."
    case 0x1fb911bbecd4720b: "En Cognito"
    case 0x20187bfdf1f2903f: "Nombre no válido '{0}' para '{1}'."
    case 0x20b3117de23b8f49: "Pone el token en esta variable de entorno. Sus otros programas pueden leerla."
    case 0x20b3c9ee51454022:
        """
        Este equipo no conoce ninguna sesión suya de Cognito con esa clave. Vuelva a iniciar sesión.
        """
    case 0x20e248946cf12e58: "Este proceso no se pudo proteger de otros (prctl, setrlimit)."
    case 0x211e8b404e346117: "Amazon Cognito: hace mucho que aquí no se escribe nada. Esta sesión termina ahora."
    case 0x213018129737f5af: "No se reserva ningún uid para el nombre '{0}'."
    case 0x218d4c33b7027b72: "recibido: {0}"
    case 0x22148b3041117df1: "llavero {0} ({1}), clave {2}"
    case 0x22ced46223124087:
        """
        El grupo de usuarios no lleva una lista de sus sesiones, o esa sesión no está en ella. Nada ha cambiado.
        """
    case 0x235d7dd0ab1a2d15: "{0} hora"
    case 0x23be70445dd76407: "¿Cómo quiere iniciar sesión?\n"
    case 0x2477df898af15b79: "Cognito ya no acepta esta sesión, o no aceptó al usuario."
    case 0x255fb5c6021b5d2e: "Cierra todas sus sesiones en este equipo. Las de otros lugares siguen abiertas."
    case 0x256020207d74f6d1: "[ORDEN] [OPCIÓN]..."
    case 0x25670970008bf5a2:
        """
        Su cuenta necesita MFA (un código en cada inicio de sesión). ¿Cómo quiere recibir los códigos?\n
        """
    case 0x25c1a04571356e51:
        """
        No se ha exportado nada: una exportación debe sellarse para este equipo y para usted. Añada la opción \
        --sealed.
        """
    case 0x2648310d317873cb:
        """
        Los tokens de esta sesión están bloqueados. Desbloquee la pantalla con su contraseña de Cognito, o ejecute \
        'cognito-session unlock'.
        """
    case 0x26e57e306b3559e9: "No se revoca nada: los tokens siguen siendo válidos hasta que caducan."
    case 0x27223259f8f6608f: "Escribe un texto corto para el indicador del shell. Nunca espera."
    case 0x27429c447cadabf9:
        """
        Nada ha cambiado: cognito-agent no pudo cerrar esta sesión, y solo cognito-agent puede quitar tokens \
        bloqueados. Vuelva a intentarlo más tarde, o salga de la sesión.
        """
    case 0x27a46aa520ec6206: "Línea de órdenes no válida, o petición no válida de otro programa."
    case 0x27bbae8bc1272697: "No se cambió nada: el proceso {0} tiene el uid o el gid {1}."
    case 0x28061c0680034594: "Sesión iniciada"
    case 0x282cfcd44e7a076e: "exec: no se pudo ejecutar la orden."
    case 0x284cb46a111d2a4c:
        """
        En este momento Cognito no admite más peticiones. Nada ha cambiado; vuelva a intentarlo dentro de un minuto.
        """
    case 0x28d05a82bd4df230:
        """
        El diagnóstico no cambia ningún archivo: {0} ya no existe. Haga usted los cambios que muestra y guarde una \
        copia.
        """
    case 0x28d5479c06347465:
        """
        Este programa se ejecuta bajo systemd --user, que tiene un llavero propio. No comparte el llavero de ninguna \
        sesión.
        """
    case 0x28f19a699d6392ca:
        """
        En el archivo del servicio en /etc/pam.d, ponga \"session optional pam_keyinit.so force revoke\" antes de \
        pam_cognito.so.
        """
    case 0x29034bfb1e034a1c:
        """
        Ejecute 'cognito-session attach' aquí, y 'cognito-session attach --give' en una sesión que tenga tokens. O \
        inicie desde esa sesión un nuevo servidor de tmux: tmux -L other.
        """
    case 0x292a2627f8be31ea:
        """
        Esta sesión había caducado. Puede que sus otros dispositivos sigan con la sesión abierta: inicie sesión y \
        ciérrela entonces en todos.
        """
    case 0x2a43b6ec811fe609: "No se cambió nada: la cuenta {0} tiene el uid {1}."
    case 0x2a6e05007172de46: "Al paquete de tokens le falta el miembro \"{0}\"."
    case 0x2aec13906b96a8b0: "Ese código es de otro inicio de sesión. Abra la dirección de abajo, y ninguna otra.\n"
    case 0x2bec144121056238: "{0} ya no tiene cuenta en esta máquina. Ninguna otra cuenta recibe el uid {1}."
    case 0x2c3f035999f97d7d:
        """
        Nada ha cambiado: cognito-agent falló. Su administrador puede leer el motivo en el registro del sistema.
        """
    case 0x2c552a2e56e6525e: "Se ha cerrado la sesión en todos los dispositivos.\n"
    case 0x2c736a190f13ade9:
        """
        Donde tenga la sesión iniciada, ejecute cognito-session attach --give y escriba este código antes de dos \
        minutos: {0}
        """
    case 0x2d3a645a9ca294e9: "un inicio de sesión en un navegador"
    case 0x2d69832adb7d6929: "Comparte con esta sesión los tokens de otra, escribiendo un código."
    case 0x2d95249d8a13e60a: "Opción [4]: "
    case 0x2e107166a49986d2: "Responde a git como su ayudante de credenciales, git-credential-cognito."
    case 0x2fd22d6c254a54ad:
        """
        Nada ha cambiado: cognito-agent tiene demasiadas peticiones suyas. Vuelva a intentarlo dentro de un minuto.
        """
    case 0x2fe2a88aee9d789d:
        """
        KUBERNETES_EXEC_INFO no contiene una petición que este programa admita. Admite client.authentication.k8s.io/v1 \
        y v1beta1.
        """
    case 0x31ca2d43cee96136:
        """
        No se ha exportado nada, porque cognito-agent no responde. Pida a su administrador que lo inicie \
        (pam-cognito-agent.socket).
        """
    case 0x320a2f92bd7b2452: "{0} horas"
    case 0x326ee76f73f02095: "Para root: averigua qué falla en la configuración de este equipo."
    case 0x32c3d13676e2bcb6:
        """
        Ejecute 'cognito-session attach' aquí, y 'cognito-session attach --give' en una sesión que tenga tokens. O \
        inicie desde esa sesión un nuevo screen.
        """
    case 0x32ccb3ae526748d1: "Cuánto tiempo debe seguir siendo válido el token, por ejemplo 90 (segundos), 5m o 1h."
    case 0x334586fa92b25044: "PLAZO"
    case 0x3424a300c81b8735:
        """
        Amazon Cognito: se alcanzó el límite de sesiones del grupo de usuarios, y un inicio de sesión más nuevo ha \
        terminado este. Esta sesión sigue abierta, pero sin sus tokens. Para obtener otros: cognito-session sign-in
        """
    case 0x34f42e9be15f5e85:
        """
        Abra esta dirección en un navegador de su propio dispositivo, y solo si acaba de empezar usted mismo este \
        inicio de sesión:\n
        """
    case 0x37aa38fb6dada487:
        """
        Si esta cuenta inicia sesión con Cognito, ejecute 'cognito-session sign-in'. Si otra de sus sesiones tiene \
        tokens, ejecute 'cognito-session attach'. Las demás cuentas no tienen tokens.
        """
    case 0x386f09f6277a7425:
        """
        Establecer una nueva contraseña necesita un terminal en el que preguntar. Ejecute la orden en un terminal.
        """
    case 0x389e0a9bbf5bd084: "estado de salida {0}: {1}"
    case 0x38ad83abb144d6f7:
        """
        No se ha exportado nada, porque cognito-agent falló. El registro del sistema indica el motivo.
        """
    case 0x38c294e390e8a64b: "Uid"
    case 0x396e38835cb05f59: "Consultando a Cognito..."
    case 0x39a8d40e12e9b244: "Su contraseña temporal ha caducado. Pida una nueva a su administrador."
    case 0x39fda3440a515344: "git no recibe ningún token para {0}: use https, que mantiene el token en secreto."
    case 0x3b86fe531cbbfb15:
        """
        No se ha importado nada: la entrada estándar no contiene una exportación de 'cognito-session export'.
        """
    case 0x3bccb48fcf4adc46:
        """
        La cuenta {0} está bloqueada en este equipo: no puede iniciar sesión, y no tiene grupos de Unix del grupo de \
        usuarios.
        """
    case 0x3be807a491f38ca0: "Para encontrar todos esos archivos: {0}"
    case 0x3c0d17bad169557b: "ninguno"
    case 0x3c2731681aa72939:
        """
        solo se ha cerrado esta sesión, porque entretanto ha vuelto a iniciar sesión aquí. Puede que sus otros \
        dispositivos sigan con la sesión abierta: ciérrela en todos desde la sesión nueva.
        """
    case 0x3d2a2623029bd3e7: "Da los tokens de esta sesión a otra suya que ejecuta attach."
    case 0x3db40605efc5d481: "Los tokens han caducado."
    case 0x3dd1c0dec5e3302d: "Código enviado por correo electrónico a {0}: "
    case 0x3e3811c9259d3965: "leído el llavero de la sesión: {0}"
    case 0x3e68752e0d011260:
        """
        No se ha entregado nada, porque ninguna de sus sesiones que esperan tiene ese código. Empiece allí de nuevo \
        con 'cognito-session attach'.
        """
    case 0x3f065a0f48daa3f4: "Usa el token de ID (predeterminado en las demás órdenes, y con --header)."
    case 0x3f24ffef87c553a2: "caduca en {0}"
    case 0x40b32184ae5337e5:
        """
        No tiene permiso para hacer esto en este equipo. Si debería tenerlo, consulte a su administrador.
        """
    case 0x40ecc453c473836b: "Su cuenta necesita otro paso para iniciar sesión, que aquí no es posible."
    case 0x41faf5eaf47593ad:
        """
        Esta sesión ya no tiene tokens. Son de otra de sus sesiones, que sigue abierta. Para revocarlos, cierre la \
        sesión allí.\n
        """
    case 0x42b907b4e8c22bc0:
        """
        Esto se ejecuta dentro de tmux, cuyo servidor conserva el llavero de la sesión en la que se arrancó.
        """
    case 0x432ee35060526ac0:
        """
        Se bloquearon con la pantalla de la sesión, o con 'cognito-session lock'. Se siguen renovando.
        """
    case 0x4340ee2ad959cf80: "El código ha caducado.\n"
    case 0x435e32524ae7b922: "(desconocido)"
    case 0x4373919c30d98397: "Para ver cuál es: {0}"
    case 0x437b3780fbf20211:
        """
        Los tokens solo se pueden entregar entre programas de un mismo usuario en un mismo equipo. No pueden \
        participar root, los programas set-uid ni los programas de otro contenedor.
        """
    case 0x4404a628d57bb34e: "La sesión contiene algo que no es un JSON Web Token."
    case 0x44a027a1b79ed586:
        """
        El grupo de usuarios no lleva una lista de sus sesiones. Su administrador puede activar el seguimiento de \
        sesiones.
        """
    case 0x45d780d2228715be: "Pegue el código que muestra después el navegador, o su dirección: "
    case 0x46689b8e8e091af5: "git no recibe ningún token para {0}: --host solo nombra {1}."
    case 0x468a0819889922ba: "lo que cuenta el llavero de root del núcleo no se puede leer (errno {0})."
    case 0x480631d477daf42b:
        """
        Servidor no válido '{0}' para '{1}': use un nombre, con un puerto si hace falta, como git.example.com:8443.
        """
    case 0x485829b693ed5b74: "Código que muestra la aplicación: "
    case 0x48777ba930f319bf:
        """
        cognito-agent no pudo renovar el token. Su administrador puede leer el motivo en el registro del sistema.
        """
    case 0x48a4060e9649cae8:
        """
        No se pudo enviar el código que necesita para iniciar sesión. Consulte a su administrador.
        """
    case 0x498865c7bd1f3959: "se desconoce"
    case 0x4a5215e7b78a6d35:
        """
        En este equipo no se guarda ninguna cuenta llamada '{0}'. Para ver las cuentas, ejecute 'cognito-session \
        accounts'.
        """
    case 0x4a955c9ef738f786: "En TODOS los dispositivos."
    case 0x4aa0ee9243bf8e19: "Descriptor de archivo no válido '{0}' para '{1}': use 0, o de 3 a 1023."
    case 0x4ae45d184ef93072:
        """
        No se pueden enumerar las sesiones, porque no se puede leer el registro en el llavero de root del núcleo. El \
        registro del sistema indica el motivo.
        """
    case 0x4b010babe8442d5d: "No se cambió nada: {0} tiene una línea sobre el uid {1}, o un rango que lo contiene."
    case 0x4b1a493507b3a318: "contraseña"
    case 0x4b635c75621fa7a0: "bloqueada por el grupo de usuarios"
    case 0x4c21579d264ff019: "Token de renovación"
    case 0x4ca0b86f65a9e2da: "agente ocupado; se esperó {0} ms"
    case 0x4db1e9602b890063: "Vuelve a abrir una cuenta que se bloqueó aquí."
    case 0x4efad856ef0dec76:
        """
        Se han cerrado sus {0} sesiones en este equipo: sus tokens se han eliminado, y Cognito los está revocando. Las \
        sesiones en otros lugares siguen abiertas.\n
        """
    case 0x4fb150fb33258e78:
        """
        No se pueden enumerar sus sesiones, porque cognito-agent no responde. Pida a su administrador que lo inicie \
        (pam-cognito-agent.socket).
        """
    case 0x506a5d56e3cab50f:
        """
        Cognito cierra su sesión en todas partes: todas sus sesiones, en todos los equipos y aplicaciones.
        """
    case 0x50bfc8f00e25a3de: "código por correo electrónico"
    case 0x5146171641340a53:
        """
        Enumera las sesiones del grupo de usuarios: las suyas en todos los dispositivos y aplicaciones.
        """
    case 0x52234ff1ab4b78fc: "Grupo de usuarios"
    case 0x5230102c7cbb2418: "se desconoce cuándo caduca"
    case 0x52e8cee9eb598b97:
        """
        Su otra sesión comparte ahora los tokens de esta. Se renuevan a la vez, y se eliminan cuando esta sesión \
        termina.\n
        """
    case 0x52e8d5610e3400b7: "{0} puede volver a iniciar sesión."
    case 0x535e40b29b641d52: "Su firma no se ha verificado ahora. {0}"
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
    case 0x54e7720ae99b95f8:
        """
        No se entregaron tokens: el código no se escribió a tiempo o fue incorrecto demasiadas veces, o una de las dos \
        sesiones ya no está.
        """
    case 0x557a6032a73b0351: "Las credenciales de AWS que ya se entregaron siguen siendo válidas en AWS: {0}."
    case 0x55d96e106f876670:
        """
        Amazon Cognito: este inicio de sesión ha caducado. Los tokens de esta sesión ya no están, y su pantalla está \
        bloqueada.
        """
    case 0x55e72d790ac33d6b:
        """
        No se cambió nada: se sigue nombrando a {0} en {1}, y eso valdría para el siguiente usuario con ese nombre.
        """
    case 0x56635dd38c852151: "enviado: {0}"
    case 0x56ba8b6ffafb4207:
        """
        solo se ha cerrado esta sesión, porque Cognito no renovó sus tokens. Puede que sus otros dispositivos sigan \
        con la sesión abierta: inicie sesión y ciérrela entonces en todos.
        """
    case 0x57639647e29049d2:
        """
        La orden no se inició, porque cognito-agent, que le da los tokens, no responde. Pida a su administrador que lo \
        inicie (pam-cognito-agent.socket).
        """
    case 0x58499709a1250b0e: "No tiene ninguna sesión con tokens de Cognito en este equipo, así que no se cerró nada.\n"
    case 0x5865b900345ccd19: "Muestra cada paso con su hora en la salida de error. Nunca muestra secretos."
    case 0x58898416f29005cd:
        """
        No hay ninguna dirección de correo electrónico ni número de teléfono suyos confirmados a los que enviar un \
        código. Pida una nueva contraseña a su administrador.
        """
    case 0x58f8c1c261e45b08: "El token contiene caracteres no válidos y no se ha entregado."
    case 0x59448d603d24dae1: "Servidores que pueden recibir el token: separados por comas, con :PUERTO si no es el 443."
    case 0x59c780638ca5eea3:
        """
        No se obtuvieron credenciales de AWS: cognito-agent falló, o no se pudieron poner en la sesión. El registro \
        del sistema indica el motivo.
        """
    case 0x59dc63876dfa7b4b:
        """
        Su sesión sigue abierta, porque no se pudo conectar con Cognito. Vuelva a intentarlo más tarde, o cierre solo \
        esta sesión con --local.
        """
    case 0x5aba53d7163d0f19:
        """
        No hay ninguna sesión '{0}' en la lista de sus sesiones del grupo de usuarios. Para verla, ejecute \
        'cognito-session sessions --everywhere'.
        """
    case 0x5b425251e1044ddb: "Cambiada"
    case 0x5b9a957aa7f4da85: "Esa dirección o ese número ya es de otra cuenta. Pregunte a su administrador."
    case 0x5c1e283906fad9bc: "todavía no"
    case 0x5d1dbe0fc9259161:
        """
        Su sesión sigue abierta, porque Cognito no admite más peticiones en este momento. Inténtelo de nuevo dentro de \
        un minuto, o cierre solo esta sesión con --local.
        """
    case 0x5d219078caca2bf8: "{0} intentos"
    case 0x5e748a0cbb00198d: "Repita la nueva contraseña: "
    case 0x5e9aa47495b3a74d: "Inicia sesión en Cognito para una sesión que no tiene tokens."
    case 0x5f3ec40490f4af30: "Para eliminar antes esa cuenta: {0}"
    case 0x5f43af3669b1e098: "Origen"
    case 0x5f98e6ff9f2b0519:
        """
        El token no se renovó: Cognito falló, o respondió otra cosa en su lugar. Inténtelo más tarde.
        """
    case 0x602ed118f0b5a372: "pronto"
    case 0x606c4b0eaee357d3: "Muestra si una cuenta es gestionada, por qué, y qué más la rechaza."
    case 0x61818e73a2c7fadc:
        """
        solo se ha cerrado esta sesión, porque su cuenta no está confirmada. Puede que sus otros dispositivos sigan \
        con la sesión abierta: confírmela, inicie sesión y ciérrela entonces en todos.
        """
    case 0x619816f9633db2a6:
        """
        llavero {0} ({1}), clave {2}; compartida por otra de sus sesiones, y se elimina cuando aquella termina
        """
    case 0x619fc587f5820a72: "No se pueden leer las cuentas de esta máquina: {0}"
    case 0x62278f512692e037: "Sesión"
    case 0x6231da358530d3e5:
        """
        Nombre de variable no válido '{0}' para '{1}': use letras, cifras y _, sin cifra al principio.
        """
    case 0x624e1bc4cafbfc3c:
        """
        Esta sesión no tiene un llavero suyo en el que poner los tokens. Entre de nuevo en el equipo y vuelva a \
        intentarlo.
        """
    case 0x626bccecbb8f4fce: "aceptada, consultado ahora mismo"
    case 0x628ef7db526f5a80: "dañada: no se cree"
    case 0x62a6452efee5eb0b:
        """
        Este programa no está en esa sesión, así que no recibe sus tokens. Ejecútelo en la sesión, o ejecute aquí \
        'cognito-session attach'.
        """
    case 0x62d17f0473ee5b2e: "En este momento Cognito no pudo hacerlo. Nada ha cambiado; vuelva a intentarlo más tarde."
    case 0x63065f351efa375e: "Esta sesión contiene además tokens de {0} (clave {1})."
    case 0x634433f2eae98727:
        """
        Los tokens están bloqueados: ningún programa de esta sesión puede leerlos. Un programa que ya ha leído un \
        token puede usarlo hasta que caduque.\n
        """
    case 0x6360779df0f2295d: "'{0}' necesita una de estas operaciones: {1}."
    case 0x63c7018cba338b98:
        """
        El grupo de usuarios todavía no enumera ninguna sesión suya: una nueva aparece allí al cabo de unos segundos.
        """
    case 0x65c6357c94a8ac0b: "La opción '{0}' no admite ningún valor."
    case 0x65df5501b890c17a: "No hay tokens de Cognito en esta sesión."
    case 0x65e1e8a2cff747a7:
        """
        solo se ha cerrado esta sesión, porque Cognito denegó lo demás. Puede que sus otros dispositivos sigan con la \
        sesión abierta: inicie sesión y ciérrela entonces en todos.
        """
    case 0x65f08bc48aea9c3c: "Escribe el nombre de usuario que Cognito tiene para esta sesión."
    case 0x66290e7aa4604a69:
        """
        Amazon Cognito: su sesión se cerró desde otro lugar, o ya no puede iniciarla. Esta sesión continúa, pero sus \
        tokens ya no están. Para obtener otros: cognito-session sign-in
        """
    case 0x6670ea15c92196b3: "Contenido del token de {0} de {1}:"
    case 0x667c45ed75908586:
        """
        Amazon Cognito: se ha cerrado su sesión desde otro lugar, o ha iniciado más sesiones de las que el grupo de \
        usuarios permite a la vez. Esta sesión sigue, pero sin sus tokens. Para obtener otros: cognito-session sign-in
        """
    case 0x668e0a234ab9de0f: "exec: no hay token, así que la orden no se ejecutó."
    case 0x6729d72106bc1fed: "Respuesta: "
    case 0x68a529332c9c215d:
        """
        Para root: termina todas las sesiones de este usuario, o la sesión con este número. Con --everywhere: termina \
        la sesión suya con este ID.
        """
    case 0x69df133a6fac4648:
        """
        solo se ha cerrado esta sesión, porque sus tokens no permiten más. Puede que sus otros dispositivos sigan con \
        la sesión abierta: avise a su administrador.
        """
    case 0x6a1c9b181bdafb3d:
        """
        En la configuración de esta máquina no hay credenciales con ese nombre. Pregunte a su administrador cuáles hay \
        (aws_credentials).
        """
    case 0x6a48ccc1f777daa6:
        """
        Demasiadas peticiones suyas a la vez. Nada ha cambiado; vuelva a intentarlo dentro de un minuto.
        """
    case 0x6abb1cd87fe0114e: "Directorio"
    case 0x6bd66eb60802c45a: "arrancado un cognito-agent"
    case 0x6c1d41e84435d1bd:
        """
        No se ha cambiado nada, porque cognito-agent no responde. Pida a su administrador que lo inicie \
        (pam-cognito-agent.socket).
        """
    case 0x6cc796b7e71a3785:
        """
        solo se ha cerrado esta sesión, porque este equipo no pudo averiguar qué otras tiene aquí. Puede que sus otros \
        dispositivos sigan con la sesión abierta: inicie sesión y ciérrela entonces en todos.
        """
    case 0x6ce7b396e59494dd:
        """
        Amazon Cognito: hace mucho que aquí no se escribe nada. Esta sesión termina dentro de dos minutos, salvo que \
        pulse Intro.
        """
    case 0x6d04bb4bf30a93ef: "Se canceló la orden. Nada ha cambiado."
    case 0x6d3f81dc4bcacbda: "Último uso"
    case 0x6d8538b1268ad6ad: "No dice nada; solo fija el estado de salida."
    case 0x6ddb7175e0b7464a: "Error al cerrar la sesión: {0}"
    case 0x6ee44d349d2ffb41:
        """
        Su contraseña no ha cambiado, porque cognito-agent no responde. Pida a su administrador que lo arranque \
        (pam-cognito-agent.socket), o restablezca la contraseña donde suele iniciar sesión.
        """
    case 0x6f04c2eea5b5d621: "Sesión iniciada en Amazon Cognito como {0}{1}."
    case 0x6f76642d35d27230:
        """
        solo se ha cerrado esta sesión, porque Cognito no llevó a cabo lo demás en ese momento. Puede que sus otros \
        dispositivos sigan con la sesión abierta: inicie sesión y ciérrela entonces en todos.
        """
    case 0x6fefadbe4a772cbb: "En este momento no se puede consultar a Cognito. Su contraseña no ha cambiado."
    case 0x7084200e2c65d227: "El código no es correcto. Inténtelo de nuevo.\n"
    case 0x70a3b682f6ab1e9f:
        """
        Debe cambiar su contraseña antes de poder iniciar sesión aquí. Cámbiela donde suele iniciar sesión.
        """
    case 0x70d885806b56289e: "abierta"
    case 0x710dbb985eeb9ce1:
        """
        Amazon Cognito: hace mucho que aquí no se escribe nada, así que se ha cerrado su sesión de Cognito y se ha \
        bloqueado la pantalla.
        """
    case 0x727c6bf7a2d5e288:
        """
        La respuesta de Cognito no llegó: puede que su contraseña haya cambiado o no. Pruebe primero con la nueva.
        """
    case 0x73882d3d42887c6f:
        """
        Este programa está en el llavero de sesión de otra cuenta. Eso ocurre después de su sin pam_keyinit.
        """
    case 0x73be92f79b78b2aa: "Los tokens de la sesión están bloqueados hasta que demuestre quién es."
    case 0x73c2293c2cd403c4:
        """
        Amazon Cognito: hace mucho que aquí no se escribe nada, así que se ha cerrado su sesión de Cognito. Esta \
        continúa sin tokens. Para obtener otros: cognito-session sign-in
        """
    case 0x743f7d5a75197a78: "La entrada estándar no contiene una petición de credencial de git."
    case 0x74467cf40a86afac: "{0} intento"
    case 0x7451b78e6cf07d3c: "Una sesión suya espera estos tokens: proceso {0}, terminal {1}, entró por {2}, desde {3}."
    case 0x753cb5025aacd5df: "Escriba su código si esa sesión es suya, o pulse Intro para cancelar: "
    case 0x768cda3e68438a2d: "No se ha cambiado nada: {0}"
    case 0x76b78ac1afd148bc:
        """
        Su contraseña se ha restablecido. Elija ahora una nueva, con el código que se le envió para ello.\n
        """
    case 0x778e657c0da1bea2: "{0} sesiones"
    case 0x77e4d01e058a3a62:
        """
        Cognito ya no acepta esta sesión, y sus tokens han desaparecido. Para iniciar sesión de nuevo, ejecute \
        'cognito-session sign-in'.
        """
    case 0x77f9e65df36ea3e7: "{0} (estimación según la configuración)"
    case 0x7930bfd4c8c6b495: "Número [1]: "
    case 0x793378198ac2ebcd: "Las dos contraseñas no coinciden.\n"
    case 0x7978cb5220c283d2: "Su sesión ya estaba cerrada. Los tokens que quedaban se han eliminado.\n"
    case 0x797e78c18e12e743: "No tiene sesiones de Amazon Cognito en este equipo."
    case 0x79e4deef941ba02d:
        """
        No se ha importado ningún token, porque cognito-agent no responde. Pida a su administrador que lo inicie \
        (pam-cognito-agent.socket).
        """
    case 0x79ffc507be0a2a2d:
        """
        Una contraseña tiene 256 caracteres como máximo, sin caracteres de control, y no empieza ni acaba con un \
        espacio.\n
        """
    case 0x7a001fea0fb3d984:
        """
        No se pueden obtener credenciales de AWS, porque cognito-agent no responde. Pida a su administrador que lo \
        arranque (pam-cognito-agent.socket).
        """
    case 0x7be7b6fc7e08f55e:
        """
        Este programa sigue en marcha, pero su sesión ha terminado: el llavero de la sesión se revocó al salir.
        """
    case 0x7c0c8210576e48bd: "attach necesita un terminal: una sesión muestra un código, y usted lo escribe en la otra."
    case 0x7cb84eb1d8e4b9ae: "La nueva contraseña no puede ser la anterior.\n"
    case 0x7cdca04a3642a82e: "Cognito no lo ha aceptado. Su contraseña no ha cambiado."
    case 0x7cedf56272be6001: "{0} durante {1}"
    case 0x7cef65a3343045c6:
        """
        solo se ha cerrado esta sesión, porque el cortafuegos del grupo de usuarios denegó lo demás. Puede que sus \
        otros dispositivos sigan con la sesión abierta: inicie sesión e inténtelo de nuevo más tarde, o avise a su \
        administrador.
        """
    case 0x7d408000a794a322:
        """
        Cognito no ha aceptado ese código: ya se usó, o tiene más de cinco minutos. Use la nueva dirección de abajo.\n
        """
    case 0x7df0647d0f2b6921: "Desbloquea los tokens de todas sus sesiones aquí, con su contraseña de Cognito."
    case 0x7e14f9d91b508d2f: "SERVIDOR"
    case 0x7e6283be0952e02b: "acceso"
    case 0x7e6e040390c5e755: "Muestra esta ayuda. Después de una orden, muestra la de esa orden."
    case 0x7ee43566e1be0762: "No se pudo escribir la respuesta ({0}). La salida está incompleta; no la use."
    case 0x7f572370f63153f8: "no está en esta sesión: la configuración de este equipo lo retiene"
    case 0x7fea5757e7e1cec0: "Para root: quién tiene cuenta en esta máquina solo por el pool."
    case 0x80705f67faf5b7fd: "Escribe el secreto aunque la salida estándar sea un terminal."
    case 0x8070672c10a12508: "Los tokens de sus sesiones en este equipo están desbloqueados.\n"
    case 0x80c043569c22de61:
        """
        Se ha cerrado {0} sesión; Cognito está revocando sus tokens. Los programas que hay en ella siguen en marcha.\n
        """
    case 0x8141439d5e4f7038:
        """
        Esta sesión no tiene llavero propio, solo el predeterminado de la cuenta. En él no se pueden poner tokens.
        """
    case 0x81e1448a77ecdb5b:
        """
        No se ha terminado ninguna sesión, porque cognito-agent no se puede iniciar. Para ver por qué, ejecute \
        'cognito-session doctor'.
        """
    case 0x81f9b6c8464ed702: "exec: no existe tal orden."
    case 0x8227a2982c6a1825: "Este token ha caducado."
    case 0x8232a2ce6fb2fdab: "aceptada {0}; añada --online para preguntar ahora"
    case 0x83ea4663548ce694: "código por SMS"
    case 0x84e840f62d8d4b00: "Operación de docker no admitida '{0}'. Admitidas: {1}."
    case 0x85035c3be1ca1657: "No se inició su sesión, porque faltó una respuesta."
    case 0x85a71bf763a411da: "Dirección de correo electrónico: "
    case 0x85adf56425feabdc: "Muestra una cuenta."
    case 0x862da4301800e9ef: "Renovada"
    case 0x8641062c4027af07:
        """
        Se han cerrado {0} sesiones; Cognito está revocando sus tokens. Los programas que hay en ellas siguen en \
        marcha.\n
        """
    case 0x86aa8914f9307dcb: "Órdenes:"
    case 0x8747c00610e672c5: "No se pudo escribir la respuesta ({0}). La petición en sí se llevó a cabo."
    case 0x874a993f9746fed3: "Este programa se ejecuta bajo sudo, que no transmite los tokens."
    case 0x88e28d057c910b6c:
        """
        Amazon Cognito: hace mucho que aquí no se escribe nada. Dentro de dos minutos se cierra su sesión de Cognito, \
        salvo que pulse Intro.
        """
    case 0x89ef667c520c0b7e: "useradd puede dar el uid {0} a su próximo usuario, y con él todos esos archivos."
    case 0x8a369fde50460118: "Código de su aplicación de autenticación ({0}): "
    case 0x8a7a4b588de40ad2: "conectado a cognito-agent"
    case 0x8a9c121700766590: "No se ha guardado nada. Para este registro, docker recibe siempre el token de la sesión."
    case 0x8aa6c3f5e50d8d36: "El paquete de tokens no es un objeto JSON."
    case 0x8b3a8ea2cf2b9fad:
        """
        Iniciar sesión aquí necesita cognito-agent, que no responde. Pida a su administrador que lo arranque \
        (pam-cognito-agent.socket).
        """
    case 0x8b7c83857694aaaa: "Bloquea una cuenta en esta máquina, diga lo que diga el pool."
    case 0x8c322f516c99d0f3:
        """
        A esta cuenta se ha pasado con su: solo hay tokens cuando la propia cuenta inicia sesión en Cognito.
        """
    case 0x8ccf1289896af6fd: "bloqueada en este equipo"
    case 0x8e0070f87739d8ad: "Si esta es su última sesión en este equipo, Cognito cierra su sesión en todas partes."
    case 0x8e01319a316225a3: "Solo root puede hacer esto."
    case 0x8e3d31d38f91849e:
        """
        No se hizo nada, porque el identificador de usuario de este programa no es de ninguna cuenta de este equipo. \
        Ejecute la orden desde su propia sesión.
        """
    case 0x8f386100eac76686: "El paquete de tokens es mayor de lo que cabe en una clave."
    case 0x8fb5d045c31c5175: "Cuánto tiempo es válida la exportación (1h si no se indica otro)."
    case 0x8fff73c21687644e:
        """
        Amazon Cognito: su sesión se cerró desde otro lugar, o ya no puede iniciarla. Los tokens de esta sesión ya no \
        están, y su pantalla se ha bloqueado.
        """
    case 0x9093358856ead215:
        """
        El diagnóstico examina ficheros y claves que solo root puede ver. Ejecútelo como root: sudo cognito-session \
        doctor.
        """
    case 0x90b65052d64c5f17:
        """
        Un token escrito en un terminal permanece en su historial, donde otros pueden leerlo. Envíelo a una tubería o \
        a un archivo, o use --force.
        """
    case 0x91555d9bec2ed16d: "sin respuesta, o con una no válida"
    case 0x917f41ef6685a832: "QUIÉN"
    case 0x92a42b627ac792a6: "Token de acceso"
    case 0x93432048af4f415f: "Su firma se ha verificado ahora mismo con las claves del grupo de usuarios."
    case 0x93c6ecca06b09a47: "Código enviado por SMS a {0}: "
    case 0x94ee89081b02664b: "Para evitarlo, dé antes los archivos a otro usuario: {0}"
    case 0x94f7b27ee728b522: "Escribe un token válido en una tubería o un fichero; lo renueva si hace falta."
    case 0x9588aea1c2390e4f: "El código ha caducado. Su contraseña no ha cambiado."
    case 0x961c7796976458a5:
        """
        Amazon Cognito: usted cerró esta sesión desde otra de sus sesiones. Ya no tiene tokens, y su pantalla está \
        bloqueada.
        """
    case 0x967dc9f3122c04dc:
        """
        no se puede escribir en la salida estándar (errno {0}): lo que debería estar allí no está completo. Lo que se \
        hizo está en el registro.
        """
    case 0x968496c9a275254f:
        """
        Cognito no puede pedirle el paso de autenticación adicional que se exige aquí. El administrador puede ver el \
        motivo en el registro.
        """
    case 0x968c9fc4a6211d37:
        """
        cognito-agent terminó antes de que se iniciara su sesión. Su administrador puede leer el motivo en el registro \
        del sistema.
        """
    case 0x96bd008c09a4f063: "{0}: válidas hasta entonces para quien tenga una copia, incluso tras cerrar la sesión"
    case 0x975433ba0c76a0a5:
        """
        Cognito no admite más peticiones en este momento, así que no se sabe si la sesión sigue siendo válida. \
        Inténtelo de nuevo dentro de un minuto.
        """
    case 0x983be6b5cdce5fb9: "Cognito ha terminado esa sesión: {0}\n"
    case 0x98442dd0ff76052d:
        """
        Se sigue nombrando a {0} en {1}. Los grupos o identificadores subordinados de allí valen para cualquier \
        usuario con ese nombre.
        """
    case 0x985fc26548062710:
        """
        En este equipo no se bloquean tokens: quien lo administra no ha puesto lock_tokens = yes. No se ha cambiado \
        nada.
        """
    case 0x9868a2a5f532294b: "Ha fallado otra cosa en este equipo."
    case 0x986a0bdec91dfe42:
        """
        No se ha importado ningún token: cognito-agent falló, o no se pudieron poner en la sesión. El registro del \
        sistema indica el motivo.
        """
    case 0x98ec314695f006ab:
        """
        Aquí no se puede usar una clave de acceso (passkey). ¿Cómo quiere iniciar sesión en su lugar?\n
        """
    case 0x9a15ee8545eb9d37: "solo un paso"
    case 0x9aae9e13c977dc61: "caducado hace {0}"
    case 0x9ae040189add1cb3: "Ruta no válida '{0}' para '{1}'."
    case 0x9afa0d3c43b563ad:
        """
        No se ha exportado nada, porque este equipo no puede sellar exportaciones. El administrador puede ejecutar \
        'systemd-creds setup' como root y mirar el registro.
        """
    case 0x9b2474b271841b4f:
        """
        Su proveedor de identidad no ha iniciado su sesión. Vuelva a intentarlo, o pregunte a su administrador.
        """
    case 0x9b4c2e878b07c6c5: "Cognito revoca los tokens de esta sesión. Sus otras sesiones siguen abiertas."
    case 0x9cf750565ad5414e: "hace {0} ({1})"
    case 0x9cfa58370d34f707:
        """
        No se puede renovar el token, porque cognito-agent no responde. Pida a su administrador que lo arranque \
        (pam-cognito-agent.socket), o vuelva a entrar.
        """
    case 0x9d8078cf7e08daea: "No pregunta. Sin --global, cierra solo esta sesión."
    case 0x9d8694d215b61b1f:
        """
        Su contraseña se ha cambiado demasiadas veces últimamente. Espere un rato y vuelva a intentarlo.
        """
    case 0x9d8c142d839aee24: "Prueba un inicio de sesión de esa cuenta, sin PAM; sus tokens se revocan enseguida."
    case 0x9f26843287bb592d: "Grupos"
    case 0x9f40254331fa26e0: "El token de acceso ha caducado."
    case 0xa145b7a755f80358: "{0} usuario"
    case 0xa1ef771ed722f6f0: "No se pudo ejecutar la orden '{0}': {1}."
    case 0xa1fbaa7acf7a2422: "Cancelado: no se entregaron tokens."
    case 0xa206b86097414648: "El código no es correcto o ha caducado.\n"
    case 0xa21b52e373ccc4d4: "Orden desconocida '{0}'."
    case 0xa2311560d9926029:
        """
        Amazon Cognito: los tokens de esta sesión caducan dentro de {0} horas y no se pueden volver a renovar. Para \
        obtener otros: cognito-session sign-out --local y luego cognito-session sign-in
        """
    case 0xa2bce784450f0c8a: "No se puede usar la clave de tokens de esta sesión. {0}"
    case 0xa2d68798d883c150:
        """
        Con --aws: el nombre que el administrador dio a las credenciales (si no se indica: default).
        """
    case 0xa2d94b3fb59652fe: "Al salir"
    case 0xa3bb901f28bf57e5: "\n\no escriba en ella esta clave: {0}\n\n"
    case 0xa3be3021b4fe866d: "olvidada"
    case 0xa3e2613fc028a83a: "Cierra la sesión, aquí o en todos los dispositivos; en un terminal, pregunta."
    case 0xa401171e0f39d6e4: "El descriptor de archivo del que la orden lee el token (3 si no se indica otro)."
    case 0xa48f81f001b893d2: "Usuario"
    case 0xa4d9666d300cbb6a:
        """
        Esta sesión ya tiene tokens. Para renovarlos, ejecute 'cognito-session refresh'. Para iniciar sesión de nuevo, \
        ejecute antes 'cognito-session sign-out --local'.
        """
    case 0xa6539730d33e7558: "Responde a docker como su ayudante de credenciales, docker-credential-cognito."
    case 0xa6ab5184d6315895: "Desde"
    case 0xa9d6d20bb152cdd2: "Código (o pulse Intro para que se le envíe uno): "
    case 0xa9e8c59402a2741d: "Escribe un valor del JSON como texto sin formato. Con sessions: una línea por sesión."
    case 0xaa997165f6650472:
        """
        No se ha consultado a Cognito, porque cognito-agent falló. Su administrador puede leer el motivo en el \
        registro del sistema.
        """
    case 0xaab73931332b5231: "Cancelado: los tokens siguen bloqueados."
    case 0xab48774a265c970d: "Pida a quien administra este equipo o contenedor que permita keyctl(2)."
    case 0xab6f768b7f6f46f7: "{0}, el próximo {1}"
    case 0xac30b9e99a13fa52: "en otro contenedor"
    case 0xac3a09fb1a907977: "Su cuenta inicia sesión con una clave de acceso (passkey), lo que aquí no es posible."
    case 0xad9e59727f859f8b: "Ninguna de ellas tiene ese código."
    case 0xadbaa331a7d08526: "Iniciar sesión necesita un terminal en el que preguntar."
    case 0xae239213b7c70376: "Estado"
    case 0xae84dfcc73ae62ac:
        """
        Usa el token de acceso, que puede modificar su cuenta de Cognito (predeterminado en token, exec y claims).
        """
    case 0xae93698584a18f5d: "La respuesta no es válida.\n"
    case 0xaf59a89e7628ee11:
        """
        Se han cerrado {0} de {1} sesiones; las demás están ocupadas con otra petición. Vuelva a intentarlo dentro de \
        un minuto.
        """
    case 0xaf63f44c86021554: "s"
    case 0xaf64034c86022ed1: "N"
    case 0xaf812b569174fdd5: "Muestra el estado hasta que la sesión termina, y renueva los tokens con antelación."
    case 0xb0df2ab35fac5a5e:
        """
        No se pueden enumerar las sesiones, porque cognito-agent no se puede iniciar. Para ver por qué, ejecute \
        'cognito-session doctor'.
        """
    case 0xb1762a8df815df1c: "Su contraseña no ha cambiado, porque faltó una respuesta."
    case 0xb1b236f06bb1bc52: "caducado"
    case 0xb1e9564888acacb5: "Las opciones '{0}' y '{1}' no se pueden usar juntas."
    case 0xb2f1e690d6117f31: "--watch necesita un terminal. En los guiones, use --check o --json."
    case 0xb3025b61cd55dab4:
        """
        El núcleo no muestra el llavero de la sesión (error {0}); algunos contenedores lo prohíben.
        """
    case 0xb33b1c3e43013386: "Error: {0}\nUso: {1}\n  Véase '{2}{3} --help' para más información.\n"
    case 0xb53f7a197981b790: "sí"
    case 0xb5617c19799ea15c: "usted"
    case 0xb627ed8ff5e17898:
        """
        Ya esperan tokens demasiadas sesiones suyas. Cancélelas o inténtelo de nuevo en dos minutos.
        """
    case 0xb63db09daf185de0: "Amazon Cognito: usted cerró esta sesión desde otra de sus sesiones. Termina ahora."
    case 0xb6762457ef69399f:
        """
        Cognito no dijo si la sesión sigue siendo válida: falló, o respondió otra cosa en su lugar. Inténtelo más \
        tarde.
        """
    case 0xb9e8a2c682ea0eee: "¿Cómo quiere recibir el código?\n"
    case 0xb9f2fc0f7482cb33:
        """
        Inicie sesión como este usuario. Para corregirlo en su, ponga pam_keyinit.so antes de pam_cognito.so en \
        /etc/pam.d.
        """
    case 0xba40bb13fcc3d34a: "Eso ya es de otra cuenta. Introduzca uno que sea suyo.\n"
    case 0xba5bd6a118a88687: "Establece una nueva contraseña con un código, si ha olvidado la anterior."
    case 0xbacc752f4daa30d7: "No se pudo contactar con Cognito, o no pudo hacerlo en este momento."
    case 0xbbed7d4e8ad438e7:
        """
        ¿Cerrar la sesión en TODOS los dispositivos, en todas las aplicaciones del grupo de usuarios? [s/N]: 
        """
    case 0xbc2009dc446e2430: "Número de teléfono, con prefijo internacional (+34...): "
    case 0xbc5f6ff7da1b2616: "Escribe el token como cabecera HTTP: Authorization: Bearer ..."
    case 0xbd1331aba7343d74:
        """
        La orden no se inició: su token no se pudo poner en un archivo de memoria sellado (memfd_create).
        """
    case 0xbd8d2c4c14f5726d:
        """
        cognito-agent tiene demasiadas peticiones suyas. Vuelva a intentarlo dentro de un momento.
        """
    case 0xbdbab14c42ba3de4: "abandonada, se cierra pronto"
    case 0xbee388e094b364d1:
        """
        Esta sesión ya tiene tokens, así que nada ha cambiado. Para usar los de otra sesión, ejecute antes \
        'cognito-session sign-out'.
        """
    case 0xc23960f5a429c896: "hecha por otra versión"
    case 0xc3244f54b7038e77: "Ejecute esto desde la sesión que inició."
    case 0xc351b1255d0c9862:
        """
        No se renovó el token: no se pudo conectar con Cognito, o su respuesta se perdió. La sesión conserva sus \
        tokens actuales. Vuelva a intentarlo más tarde.
        """
    case 0xc4afc2b6b0d28ef6: "cognito-agent, necesario para esto, no responde."
    case 0xc4e4ff438431eec1: "Su contraseña no se puede restablecer con un código. Pida una nueva a su administrador."
    case 0xc572108402549abe:
        """
        Amazon Cognito: los tokens de esta sesión caducan dentro de {0} min y no se pueden volver a renovar. Para \
        obtener otros: cognito-session sign-out --local y luego cognito-session sign-in
        """
    case 0xc6306344b30d8496: "Uso:"
    case 0xc6a04eccdd4ed0f1:
        """
        Desbloquee la pantalla con su contraseña de Cognito, o ejecute 'cognito-session unlock'. Si un trabajo \
        necesita tokens durante un bloqueo, inícielo con 'cognito-session exec --keep'.
        """
    case 0xc744fe12320bf360: "[USUARIO]"
    case 0xc78be2bcb3a55d6a:
        """
        No se revoca nada: los tokens son de otra de sus sesiones. Siguen siendo válidos hasta que aquella termine.
        """
    case 0xc7cdcb7b143a5675:
        """
        se han cerrado {0} de sus {1} sesiones en este equipo. Las demás están ocupadas con otra petición. Inténtelo \
        de nuevo dentro de un minuto.
        """
    case 0xc83ffb10ea2dc325: "Muestra lo que dice un token y si su firma es válida."
    case 0xc84d5e5d1e5ebd2e: "No hay sesiones de Amazon Cognito en este equipo."
    case 0xc8ede71c16690670: "Ninguna cuenta de este equipo viene del grupo de usuarios."
    case 0xc94954fb2f3c9087: "Ese código ya se ha usado. Espere al siguiente.\n"
    case 0xc9cfcf1d6350143c: "No se ha escrito nada.\n"
    case 0xca27a6d6b3d35b45: "La respuesta llegó demasiado tarde. Inténtelo de nuevo.\n"
    case 0xca5aebff307382cc:
        """
        Cognito no puede hacer esto por ahora. Inténtelo más tarde. Si no sirve, pregunte a su administrador.
        """
    case 0xca6e106b74125cab:
        """
        Esto se ejecuta dentro de screen, que conserva el llavero de la sesión en la que se arrancó.
        """
    case 0xcb4d924ffeafffca: "La entrada estándar no contiene una petición de docker que este programa admita."
    case 0xcb7b95d015bbd792: "Esta máquina ya no reserva nada para {0}. Otra cuenta puede recibir el uid {1}."
    case 0xcc2a7cff501f70b0: "Cierra todas sus sesiones, en todos los equipos y en todas las aplicaciones."
    case 0xcc4b0882dcfdef2d: "Opciones:"
    case 0xcd1b0954b7ac9a20:
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
        que son usuarios de allowed_groups, y por qué otros no pueden pasar\n              a cuentas gestionadas con \
        su uid y su directorio actuales. Con --apply, pasan a serlo\n  keys        escribe las claves ssh públicas de \
        una cuenta gestionada, para AuthorizedKeysCommand en sshd_config(5)\n  serve       atiende a un cliente en la \
        entrada estándar, un socket SOCK_SEQPACKET conectado: renueva los tokens de la\n              sesión, o la \
        cierra. Lo arranca listen\n  end         cierra una sesión que su programa ha cerrado sin esperar. Lo arranca \
        el módulo\n  seal        sella o abre, con systemd-creds(1), los dispositivos recordados del módulo. Lo \
        arranca el módulo\n  let-go      ejecuta los ganchos de cierre cuando han terminado los tokens de una sesión. \
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
    case 0xcd34e4a04e8bde10: "{0} minutos"
    case 0xce833e9fb21ed30d: "El miembro \"{0}\" del paquete de tokens no tiene un valor válido."
    case 0xceef60af0ee227df: "código de una aplicación de autenticación"
    case 0xcf0af463e2ea7b28: "Exporta los tokens de esta sesión, sellados, para otra de sus sesiones."
    case 0xcf298cba746cf652:
        """
        No se entendió la petición. Las partes de pam-cognito de este equipo no encajan entre sí; avise a su \
        administrador.
        """
    case 0xcfe4d7fb3a758c1d: "El grupo de usuarios enumera {0} sesiones suyas."
    case 0xcff74d3d121188c6: "Salga y vuelva a iniciar sesión. Si vuelve a ocurrir, avise a su administrador."
    case 0xd100a0d3a7c84af0: "examinado: {0}"
    case 0xd100a63084fe04c6: "Ha tardado demasiado. Vuelva a iniciar sesión."
    case 0xd189ae87ec07095e:
        """
        No se ha consultado a Cognito, porque cognito-agent no responde. Pida a su administrador que lo arranque.
        """
    case 0xd19c81b3c7503bed: "Cognito ya no tiene su cuenta. Los tokens que quedaban de esta sesión se han eliminado."
    case 0xd35df578f6e7c0a7:
        """
        No se ha iniciado la sesión. Su administrador puede leer el motivo en el registro del sistema.
        """
    case 0xd36c87e320b9343b: "doctor: alguien no puede iniciar sesión y debería, o puede y no debería."
    case 0xd37321c4c2d7b68b:
        """
        Se ha cerrado esta sesión: sus tokens se han eliminado, y Cognito los está revocando. Sus otras sesiones \
        siguen abiertas.\n
        """
    case 0xd3d754a889602ff1:
        """
        En este equipo no se exportan tokens: quien lo administra no ha puesto export_tokens = yes. No se ha exportado \
        nada.
        """
    case 0xd416c334210554b7: "Su cuenta necesita una aplicación de autenticación. Escanee este código con ella:\n\n"
    case 0xd52a51ecad014183: "No se pudo escribir la respuesta en la salida estándar."
    case 0xd54e45d5ff840f82: "El grupo de usuarios enumera {0} sesión suya."
    case 0xd59eeffaa67cd320:
        """
        No se envió ningún código: por ahora el grupo de usuarios no puede enviar más. Su contraseña no ha cambiado. \
        Consulte a su administrador.
        """
    case 0xd623fe6abbe45042: "no se puede escuchar en {0} (errno {1}); su carpeta debe existir y ser de root."
    case 0xd63aa934f4b6a19b: "Muestra la versión."
    case 0xd72bca8eb09af7f5: "Solo root puede ver y cambiar las cuentas. La suya: id, y cognito-session whoami"
    case 0xd7486509b4e60bcd:
        """
        La orden necesita un terminal para preguntar qué sesiones cerrar. Use --local para esta sesión, o --global \
        para todos los dispositivos.
        """
    case 0xd79da1acd130c4cc:
        """
        Según la configuración de este equipo, la sesión termina en {0} y no se puede renovar más allá. Vuelva a \
        iniciar sesión antes.
        """
    case 0xd7b100f6f008df14: "Muestra el inicio de sesión de Amazon Cognito y da sus tokens a programas."
    case 0xd8547695f094171c:
        """
        No se ha iniciado la sesión: la contraseña o el código no se ha aceptado. Inténtelo de nuevo. Si ha olvidado \
        la contraseña, ejecute cognito-session forgot-password.
        """
    case 0xd86b109c214447a2: "Muestra quién ha iniciado sesión y cuánto duran los tokens (predeterminado)."
    case 0xd8daf03a272b06ce:
        """
        Amazon Cognito: su sesión se cerró desde otro lugar, o ya no puede iniciarla. Esta sesión termina ahora.
        """
    case 0xd9adaec5f275d846: "NOMBRE"
    case 0xdac13dfee15143b4:
        """
        No se pudo completar el inicio de sesión con un navegador. Vuelva a intentarlo más tarde, o pregunte a su \
        administrador.
        """
    case 0xdafeb18a43133263: "Es lo esperado. Un trabajo que necesita acceso debe tener credenciales propias."
    case 0xdb71847e8d79c5dd:
        """
        solo se ha cerrado esta sesión, porque se ha restablecido su contraseña. Puede que sus otros dispositivos \
        sigan con la sesión abierta: ponga una contraseña nueva, inicie sesión y ciérrela entonces en todos.
        """
    case 0xdbe084e3d7566c73: "iniciándose"
    case 0xdbe1dd4d6fa8ce26: "Libera el uid de una cuenta olvidada, si nada lo tiene."
    case 0xdc63e4778162f0ea:
        """
        No se cambió nada: no se puede leer {0} (errno {1}), así que allí puede usarse el uid {2}.
        """
    case 0xdcbf610f6f8c1fe6: "cognito-agent no responde"
    case 0xdcea3c1661088153: "Debe cambiar ahora su contraseña.\n"
    case 0xde5b2be62d2adc67:
        """
        solo se ha cerrado esta sesión, porque los ajustes de este equipo no encajan con el grupo de usuarios. Puede \
        que sus otros dispositivos sigan con la sesión abierta: avise a su administrador.
        """
    case 0xdef99da9a49ac565:
        """
        cognito-agent falló, y los tokens pueden estar bloqueados o no. Para verlo, ejecute 'cognito-session status'. \
        El registro del sistema indica el motivo.
        """
    case 0xdf0e21a62b1e4834: "Usted está ahora en esa sesión. Para terminarla, ejecute 'cognito-session sign-out'."
    case 0xdf5a4420d3590f96: "Enumera sus sesiones en este equipo; para root, las de todos los usuarios."
    case 0xe13042a22a1cba3c: "Cognito está saturado y no ha comprobado la respuesta. Introdúzcala otra vez.\n"
    case 0xe1790a559e56e1a5: "{0} sesión"
    case 0xe1bdb64cbb2a7449:
        """
        cognito-agent terminó antes de tiempo, así que su contraseña puede haber cambiado o no. Si ya había escrito \
        dos veces la nueva, pruebe primero con ella. Si no, inténtelo de nuevo.
        """
    case 0xe1ce0d4d740cd55b: "Con --watch: muestra también avisos en el escritorio (notify-send)."
    case 0xe1d61735fc00f3fc: "{0} días"
    case 0xe208c12da509ef4c:
        """
        La orden no se inició: cognito-agent falló, o no se pudieron poner los tokens en el llavero de la orden. El \
        registro del sistema indica el motivo.
        """
    case 0xe28a4e2d4993599b: "Usuario de Cognito"
    case 0xe299c6bb6da93813: "Aplicación cliente"
    case 0xe2df68280eee3dbf:
        """
        El token se ha renovado, pero solo es válido durante {0}, menos de lo que pide --min-life.
        """
    case 0xe2f273a286fc86b0: "menos de un minuto"
    case 0xe32a15b08f4f032f: "[--] ORDEN [ARGUMENTO]..."
    case 0xe3317e26ddb00300: "cerrándose"
    case 0xe4127710296460e5:
        """
        Su nueva contraseña está establecida, pero el inicio de sesión no se completó. Vuelva a iniciar sesión con la \
        nueva contraseña.
        """
    case 0xe45913ede2b14827:
        """
        No se ha importado ningún token: la exportación no se hizo en este equipo para su cuenta, o está dañada.
        """
    case 0xe4bb873f83af3c60: "La sesión ha terminado: sus tokens ya no están. Vuelva a iniciar sesión."
    case 0xe58a69cea39e27b5:
        """
        Amazon Cognito: hace mucho que aquí no se escribe nada. Dentro de dos minutos se cierra su sesión de Cognito y \
        se bloquea la pantalla, salvo que pulse Intro.
        """
    case 0xe6337c4911743cef: "Sesión iniciada en Amazon Cognito como {0}{1}, pero el token de acceso ha caducado."
    case 0xe71803861e84b7c3: "el registro es de root; ejecute esto como root."
    case 0xe73b779d159d52d6:
        """
        Este programa lo arrancan pam_cognito.so y cognito-agent, con un socket como entrada estándar. No tiene \
        opciones. Véase cognito-session(1) para lo que puede ejecutar una persona.
        """
    case 0xe75fdb8e35202700: "Quite antes esa línea."
    case 0xe769569ae08f39e0: "Aquí no se ha establecido ninguna contraseña nueva."
    case 0xe79449bab4bc70ce: "Debe cambiar su contraseña. Vuelva a iniciar sesión para elegir una nueva."
    case 0xe7b8e74e8cf04e9b:
        """
        Se pasa por alto la clave {0}, \"{1}\": es del uid {2} y tiene permisos {3}. Las claves de pam_cognito son de \
        root y tienen permisos 0b3f0000.
        """
    case 0xe7c298c42b44b6a0: "Amazon Cognito: este inicio de sesión ha caducado. Esta sesión termina ahora."
    case 0xe7c5e049d29fffe1: "hasta {0}"
    case 0xe8a5df2bbb90190b: "Claves ssh"
    case 0xe8b19978965eafa2:
        """
        No se ha exportado nada: demasiadas exportaciones suyas aún son válidas. Importe una, o espere a que una \
        caduque.
        """
    case 0xe91a3dcdbc5279af: "Imprimir credenciales de AWS para sus SDK (credential_process)."
    case 0xe95c5853965c5e77: "Hay tokens que no han caducado, o se ha hecho lo pedido."
    case 0xe95e00628e6c5678: "Renovado. El token de acceso dura {0}.\n"
    case 0xeaa876b75b2d9b50:
        """
        En este momento no se puede conectar con Cognito desde este equipo. Nada ha cambiado; vuelva a intentarlo más \
        tarde.
        """
    case 0xeab778959325991c:
        """
        docker no recibe ningún token para {0}: credHelpers en el config.json de docker no incluye este registro.
        """
    case 0xed0da9cafd3818b4:
        """
        Esta cuenta no inicia sesión con Cognito en este equipo. Su administrador decide cuáles lo hacen.
        """
    case 0xed401829d49087cd:
        """
        No se ha consultado a Cognito: cognito-agent no conoce esta sesión. Puede que ya esté cerrada; vuelva a \
        iniciar sesión.
        """
    case 0xed47b6314006c6ec: "dañada, se elimina pronto"
    case 0xed4e131272c21660: "No hay tokens en esta sesión."
    case 0xee48492389624731: "Contraseña actual: "
    case 0xee51a3243e6a22ea: "Renueva los tokens ahora, aunque no hayan caducado."
    case 0xeee4014c3ccb832f:
        """
        La firma no se ha verificado otra vez ahora, porque cognito-agent no responde. Se verificó cuando se puso aquí \
        el token.
        """
    case 0xeef5b889609e297f: "Error: {0}\n"
    case 0xef49aec68fd1dc66: "Nombre"
    case 0xef748e9321b7145d:
        """
        Esta sesión no tiene llavero propio, y al programa que la arrancó no se le puede dar uno. Salga, entre de \
        nuevo en el equipo y vuelva a intentarlo.
        """
    case 0xf0a2d919c13466b2: "Falta el final de la dirección. Pegue solo el código.\n"
    case 0xf131b3ce2c47da81: "Pregunta a Cognito si la sesión sigue siendo válida."
    case 0xf170802333651cfb: "No se inició su sesión."
    case 0xf1e09e4c2f2607cb:
        """
        No se pudo conectar con Cognito, así que no se sabe si la sesión sigue siendo válida. Vuelva a intentarlo más \
        tarde.
        """
    case 0xf28cb5a47fe50be7:
        """
        Amazon Cognito: este inicio de sesión ha caducado. Esta sesión sigue abierta, pero sin sus tokens. Para \
        obtener otros: cognito-session sign-in
        """
    case 0xf2de31cbf555f1d2: "Valor desconocido '{0}' para '{1}'. Valores válidos: {2}."
    case 0xf2f94de3c60f51cf: "El registro dañado de {0} ya no está; el uid sigue reservado para ese nombre."
    case 0xf3958a38909b7649:
        """
        Esta sesión ya estaba cerrada. Puede que sus otros dispositivos sigan con la sesión abierta: inicie sesión y \
        ciérrela entonces en todos.
        """
    case 0xf4ff76bd67eae735: "Escribe un objeto JSON."
    case 0xf52cd26bfe44f4f4: "[NOMBRE]"
    case 0xf5e080304c614c79:
        """
        Ninguna otra sesión suya en este equipo espera tokens. Ejecute primero allí cognito-session attach: su código \
        vale dos minutos.
        """
    case 0xf71eec0b020f14e3: "Usa otro fichero de configuración que /etc/security/pam_cognito.conf."
    case 0xf756e5a8e71d3b52: "'{0}' no es un argumento de '{1}'."
    case 0xf84f97b4633670e9: "abierta"
    case 0xf89524691d23a91d: "Quite antes el nombre de allí."
    case 0xf8ee861011ac7ee9: "Importa tokens a esta sesión de una exportación en la entrada estándar."
    case 0xf92731af6bffe96f:
        """
        Cognito no puede cambiar contraseñas por ahora. Su contraseña no ha cambiado. Inténtelo más tarde.
        """
    case 0xf95a61a82b47beb7:
        """
        Esta sesión no se inició con Cognito (una clave de ssh, una contraseña local), o se ha cerrado desde entonces.
        """
    case 0xfa1a108f6ccb0a77:
        """
        AWS denegó las credenciales: el grupo de identidades o el rol no las permite. Pregunte a su administrador; el \
        registro tiene la respuesta de AWS.
        """
    case 0xfa52db2cb3b08555:
        """
        Nombre de credenciales no válido '{0}' para '{1}': use como máximo 64 letras, cifras, '-', '_' y '.'.
        """
    case 0xfa5ba219a0991116: "AWS"
    case 0xfaa98164a2cae338:
        """
        Cerrar la sesión de Amazon Cognito\n\n  1  Solo esta sesión. Sus otras sesiones siguen abiertas.\n  2  Este \
        equipo. Terminan todas sus sesiones aquí; las de otros equipos siguen abiertas.\n  3  {0} Terminan todas las \
        sesiones, en todos los equipos y aplicaciones. No se puede deshacer.\n  4  Cancelar. Nada cambia.\n\n
        """
    case 0xfac1323881cd0beb:
        """
        Los tokens de la sesión no se pudieron verificar. Salga, vuelva a iniciar sesión y avise a su administrador.
        """
    case 0xfcbab316c67fbe42:
        """
        El código no era correcto. Su contraseña no ha cambiado. Cognito solo envía unos pocos códigos por hora: si no \
        le llegó ninguno, espere.
        """
    case 0xfcbb3bdc2df19e37: "No hay tokens de Cognito en esta sesión, así que no se cerró nada. {0}\n"
    case 0xfd38f6d1509c234a:
        """
        No se entregaron tokens: cognito-agent falló, o no se pudieron poner en la sesión. El registro del sistema \
        indica el motivo.
        """
    case 0xfd3cd1f0504b5aa6: "Cierra solo esta sesión. Sus otras sesiones siguen abiertas."
    case 0xfd74f07fe33a3163:
        """
        Se ha cerrado su única sesión en este equipo: sus tokens se han eliminado, y Cognito los está revocando. Las \
        sesiones en otros lugares siguen abiertas.\n
        """
    case 0xfda9f2aaded6d451: "Código de su aplicación de autenticación: "
    case 0xfdaf1ada7690e0cf:
        """
        Cognito no confirmó el cierre: falló, o respondió otra cosa en su lugar. Los tokens se conservan. Inténtelo \
        más tarde, o cierre solo esta sesión con --local.
        """
    case 0xfdc79b018593f1dd: "Ejecuta una orden que halla un token válido en un descriptor o una variable."
    case 0xfe9af9f3bf8ea9a2:
        """
        Aquí no hay credenciales de AWS: esta sesión usa los tokens de otra. Ejecute la orden en esa sesión.
        """
    case 0xfeb0d0a96c226d79: "Ejecútelo sin sudo, como el usuario que inició sesión."
    case 0xffea6e68961e7155:
        """
        Este programa es un trabajo de cron o at. Los trabajos no inician sesión, así que no tienen tokens.
        """
    #endif
    default: nil
    }
}
