// Made by packaging/po/catalogue from packaging/po/es.po: change that instead.
// swift-format-ignore-file

/// An entry of the Spanish table; nil behind the last.
func spanishEntry(_ index: Int) -> (english: StaticString, spanish: StaticString)? {
    switch index {
    case 0:
        ("Password: ",
         "Contraseña: ")
    case 1:
        ("This password is kept by Cognito, which asks for the current one whoever changes it.",
         "Esta contraseña la guarda Cognito, que pide la actual a quienquiera que la cambie.")
    case 2:
        ("You may not sign in on this machine. If you should, ask its administrator.",
         "No tiene permiso para iniciar sesión en este equipo. Si debería tenerlo, consulte a su administrador.")
    case 3:
        ("You have too many sessions on this machine. Log out of one of them, then sign in again.",
         "Tiene demasiadas sesiones en este equipo. Cierre una de ellas y vuelva a iniciar sesión.")
    case 4:
        ("Too many of your sign-ins on this machine are not over yet. Try again in a minute.",
         "Demasiados inicios de sesión suyos en este equipo no han terminado todavía. Vuelva a intentarlo dentro de un minuto.")
    case 5:
        ("Too many attempts to sign in to this account failed. Try again in {0} min.",
         "Demasiados intentos de iniciar sesión en esta cuenta fallaron. Vuelva a intentarlo dentro de {0} min.")
    case 6:
        ("Cognito cannot check at the moment who you are, and nobody else may. Sign in again later.",
         "Cognito no puede comprobar ahora quién es usted, y nadie más puede hacerlo. Inicie sesión de nuevo más tarde.")
    case 7:
        ("Too many sign-ins are waiting for an answer on this machine. Finish or cancel those of yours, then try again.",
         "Demasiados inicios de sesión esperan una respuesta en este equipo. Termine o cancele los suyos y vuelva a intentarlo.")
    case 8:
        ("Your password is changed. Sign in with the new one.",
         "Su contraseña ha cambiado. Inicie sesión con la nueva.")
    case 9:
        ("Passwords cannot be reset on this machine at the moment. Its administrator finds the reason in the log.",
         "En este momento no se pueden restablecer contraseñas en este equipo. Su administrador encontrará el motivo en el registro.")
    case 10:
        ("Signed in to Cognito as {0}. Your tokens are in this session's keyring: run cognito-session to see them.",
         "Ha iniciado sesión en Cognito como {0}. Sus tokens están en el llavero de esta sesión: ejecute cognito-session para verlos.")
    default:
        furtherSpanishEntry(index)
    }
}

#if hasFeature(Embedded)

/// The module says no more than that.
private func furtherSpanishEntry(_ index: Int) -> (english: StaticString, spanish: StaticString)? {
    nil
}

#else

private func furtherSpanishEntry(_ index: Int) -> (english: StaticString, spanish: StaticString)? {
    switch index {
    case 11:
        ("Code from your authenticator app: ",
         "Código de su aplicación de autenticación: ")
    case 12:
        ("Code from your authenticator app ({0}): ",
         "Código de su aplicación de autenticación ({0}): ")
    case 13:
        ("Code sent by SMS to {0}: ",
         "Código enviado por SMS a {0}: ")
    case 14:
        ("Code sent by e-mail to {0}: ",
         "Código enviado por correo electrónico a {0}: ")
    case 15:
        ("you",
         "usted")
    case 16:
        ("Where do you want your code from?\n",
         "¿De dónde quiere obtener el código?\n")
    case 17:
        ("How do you want to sign in?\n",
         "¿Cómo quiere iniciar sesión?\n")
    case 18:
        ("A passkey cannot be used here. How do you want to sign in instead?\n",
         "Aquí no se puede usar una clave de acceso (passkey). ¿Cómo quiere iniciar sesión en su lugar?\n")
    case 19:
        ("Your account needs a second step at sign-in. Where do you want your codes from?\n",
         "Su cuenta necesita un segundo paso al iniciar sesión. ¿De dónde quiere obtener los códigos?\n")
    case 20:
        ("code from an authenticator app",
         "código de una aplicación de autenticación")
    case 21:
        ("code by SMS",
         "código por SMS")
    case 22:
        ("code by e-mail",
         "código por correo electrónico")
    case 23:
        ("password",
         "contraseña")
    case 24:
        ("Number [1]: ",
         "Número [1]: ")
    case 25:
        ("Current password: ",
         "Contraseña actual: ")
    case 26:
        ("New password: ",
         "Nueva contraseña: ")
    case 27:
        ("Retype new password: ",
         "Repita la nueva contraseña: ")
    case 28:
        ("Your password must be changed now.\n",
         "Debe cambiar ahora su contraseña.\n")
    case 29:
        ("E-mail address: ",
         "Dirección de correo electrónico: ")
    case 30:
        ("Phone number, with country code (+34...): ",
         "Número de teléfono, con prefijo internacional (+34...): ")
    case 31:
        ("Your account needs an authenticator app. Scan this with it:\n\n",
         "Su cuenta necesita una aplicación de autenticación. Escanee esto con ella:\n\n")
    case 32:
        ("\n\nor type this key into it: {0}\n\n",
         "\n\no escriba en ella esta clave: {0}\n\n")
    case 33:
        ("Code that the app shows: ",
         "Código que muestra la aplicación: ")
    case 34:
        ("Your account needs an e-mail address, to which a code is sent at sign-in.\nE-mail address: ",
         "Su cuenta necesita una dirección de correo electrónico, a la que se envía un código al iniciar sesión.\nDirección de correo electrónico: ")
    case 35:
        ("Answer: ",
         "Respuesta: ")
    case 36:
        ("Your password was reset. Set a new one now, with the code that was sent to you for it.\n",
         "Su contraseña se ha restablecido. Elija ahora una nueva, con el código que se le envió para ello.\n")
    case 37:
        ("Code, or Enter alone to have one sent: ",
         "Código, o solo Intro para que se le envíe uno: ")
    case 38:
        ("Code: ",
         "Código: ")
    case 39:
        ("If there is such an account, a code is on its way to its owner, by e-mail or SMS.\n",
         "Si existe tal cuenta, su titular recibirá un código por correo electrónico o SMS.\n")
    case 40:
        ("That code is not right, or no longer good.\n",
         "Ese código no es correcto o ya no es válido.\n")
    case 41:
        ("That code is no longer good.\n",
         "Ese código ya no es válido.\n")
    case 42:
        ("Nothing was entered.\n",
         "No se ha escrito nada.\n")
    case 43:
        ("That cannot be right.\n",
         "Eso no puede ser correcto.\n")
    case 44:
        ("That code is not right. Try again.\n",
         "Ese código no es correcto. Inténtelo de nuevo.\n")
    case 45:
        ("That code was used before. Wait for the next one.\n",
         "Ese código ya se ha usado. Espere al siguiente.\n")
    case 46:
        ("The two passwords are not the same.\n",
         "Las dos contraseñas no coinciden.\n")
    case 47:
        ("A password has at most 256 characters, no control characters, and no space at its beginning or end.\n",
         "Una contraseña tiene 256 caracteres como máximo, sin caracteres de control, y no empieza ni acaba con un espacio.\n")
    case 48:
        ("The new password must not be the old one.\n",
         "La nueva contraseña no puede ser la anterior.\n")
    case 49:
        ("That was not accepted.\n",
         "No se ha aceptado.\n")
    case 50:
        ("Another account has that already. Enter one of your own.\n",
         "Eso ya es de otra cuenta. Introduzca uno que sea suyo.\n")
    case 51:
        ("Cognito is too busy at the moment and has not looked at that. Enter it again.\n",
         "Cognito está saturado en este momento y no lo ha mirado. Introdúzcalo otra vez.\n")
    case 52:
        ("That took too long; here is another chance.\n",
         "Ha tardado demasiado; aquí tiene otra oportunidad.\n")
    case 53:
        ("Your account signs in with a passkey, which is not possible here.",
         "Su cuenta inicia sesión con una clave de acceso (passkey), lo que aquí no es posible.")
    case 54:
        ("That took too long. Sign in again.",
         "Ha tardado demasiado. Vuelva a iniciar sesión.")
    case 55:
        ("Your new password is set, but the sign-in did not come to its end. Sign in again with the new password.",
         "Su nueva contraseña está establecida, pero el inicio de sesión no llegó a su fin. Vuelva a iniciar sesión con la nueva contraseña.")
    case 56:
        ("Too many attempts. Wait a few minutes, then try again.",
         "Demasiados intentos. Espere unos minutos y vuelva a intentarlo.")
    case 57:
        ("Cognito is too busy at the moment. Try again in a minute.",
         "Cognito está saturado en este momento. Vuelva a intentarlo dentro de un minuto.")
    case 58:
        ("Another account has that address or number already. Ask your administrator.",
         "Esa dirección o ese número ya es de otra cuenta. Pregunte a su administrador.")
    case 59:
        ("Your password must be changed before you can sign in here. Change it where you usually sign in.",
         "Debe cambiar su contraseña antes de poder iniciar sesión aquí. Cámbiela donde suele iniciar sesión.")
    case 60:
        ("Your temporary password has expired. Ask your administrator for a new one.",
         "Su contraseña temporal ha caducado. Pida una nueva a su administrador.")
    case 61:
        ("Cognito did not accept that. Your password is unchanged.",
         "Cognito no lo ha aceptado. Su contraseña no ha cambiado.")
    case 62:
        ("Cognito cannot be asked at the moment. Your password is unchanged.",
         "En este momento no se puede consultar a Cognito. Su contraseña no ha cambiado.")
    case 63:
        ("Cognito's answer did not arrive: your password may or may not be changed. Try the new one first.",
         "La respuesta de Cognito no llegó: puede que su contraseña haya cambiado o no. Pruebe primero con la nueva.")
    case 64:
        ("Your password was changed too often lately. Wait a while, then try again.",
         "Su contraseña se ha cambiado demasiadas veces últimamente. Espere un rato y vuelva a intentarlo.")
    case 65:
        ("That was not the right code. Your password is unchanged. Cognito sends only a few codes an hour: if none came, wait.",
         "Ese no era el código correcto. Su contraseña no ha cambiado. Cognito solo envía unos pocos códigos por hora: si no le llegó ninguno, espere.")
    case 66:
        ("That code is no longer good. Your password is unchanged.",
         "Ese código ya no es válido. Su contraseña no ha cambiado.")
    case 67:
        ("Your password cannot be reset with a code. Ask your administrator for a new one.",
         "Su contraseña no se puede restablecer con un código. Pida una nueva a su administrador.")
    case 68:
        ("There is no confirmed e-mail address or phone number of yours for a code. Ask your administrator for a new password.",
         "No hay ninguna dirección de correo electrónico ni número de teléfono suyos confirmados a los que enviar un código. Pida una nueva contraseña a su administrador.")
    case 69:
        ("The code could not be sent. Your password is unchanged. Ask your administrator.",
         "No se pudo enviar el código. Su contraseña no ha cambiado. Consulte a su administrador.")
    case 70:
        ("Your password is unchanged.",
         "Su contraseña no ha cambiado.")
    case 71:
        ("Your password must be changed. Sign in again to choose a new one.",
         "Debe cambiar su contraseña. Vuelva a iniciar sesión para elegir una nueva.")
    case 72:
        ("Your account needs a further step to sign in, which is not possible here.",
         "Su cuenta necesita otro paso para iniciar sesión, que aquí no es posible.")
    case 73:
        ("This machine knows no Cognito session of yours with that key. Sign in again.",
         "Este equipo no conoce ninguna sesión suya de Cognito con esa clave. Vuelva a iniciar sesión.")
    case 74:
        ("You were signed out: Cognito no longer accepts this session's tokens, and they are gone. Sign in again.",
         "Se ha cerrado su sesión: Cognito ya no acepta los tokens de esta sesión, que se han eliminado. Vuelva a iniciar sesión.")
    case 75:
        ("Cognito cannot be reached from this machine at the moment. Nothing was changed; try again later.",
         "En este momento no se puede conectar con Cognito desde este equipo. Nada ha cambiado; vuelva a intentarlo más tarde.")
    case 76:
        ("Cognito takes no more requests at the moment. Nothing was changed; try again in a minute.",
         "En este momento Cognito no admite más peticiones. Nada ha cambiado; vuelva a intentarlo dentro de un minuto.")
    case 77:
        ("Cognito could not do it at the moment. Nothing was changed; try again later.",
         "En este momento Cognito no pudo hacerlo. Nada ha cambiado; vuelva a intentarlo más tarde.")
    case 78:
        ("This machine's settings do not fit the user pool. Nothing was changed; tell your administrator.",
         "La configuración de este equipo no corresponde al grupo de usuarios. Nada ha cambiado; avise a su administrador.")
    case 79:
        ("This machine could not do it; its log says why. Nothing was changed; tell your administrator.",
         "Este equipo no pudo hacerlo; su registro dice por qué. Nada ha cambiado; avise a su administrador.")
    case 80:
        ("Too many requests of yours at once. Nothing was changed; try again in a minute.",
         "Demasiadas peticiones suyas a la vez. Nada ha cambiado; vuelva a intentarlo dentro de un minuto.")
    case 81:
        ("The request was not understood. The parts of pam-cognito on this machine do not fit together; tell your administrator.",
         "No se entendió la petición. Las partes de pam-cognito de este equipo no encajan entre sí; avise a su administrador.")
    case 82:
        ("You were not signed in.",
         "No se inició su sesión.")
    case 83:
        ("This account does not sign in with Cognito on this machine. Your administrator decides which do.",
         "Esta cuenta no inicia sesión con Cognito en este equipo. Su administrador decide cuáles lo hacen.")
    case 84:
        ("The session's tokens do not stand up to verification. Log out, sign in again, and tell your administrator.",
         "Los tokens de la sesión no superan la verificación. Cierre la sesión, vuelva a iniciarla y avise a su administrador.")
    case 85:
        ("This session has no keyring of yours that tokens could be put into. Log in anew, and try again.",
         "Esta sesión no tiene un llavero suyo en el que poner los tokens. Entre de nuevo en el equipo y vuelva a intentarlo.")
    case 86:
        ("No new password was set here.",
         "Aquí no se ha establecido ninguna contraseña nueva.")
    case 87:
        ("You may not do this on this machine. If you should, ask its administrator.",
         "No tiene permiso para hacer esto en este equipo. Si debería tenerlo, consulte a su administrador.")
    case 88:
        ("Cognito has exchanged this session's refresh token for a newer one that never came here: it cannot be renewed. Sign in again.",
         "Cognito cambió el token de renovación de esta sesión por uno más nuevo que nunca llegó aquí: no se puede renovar. Vuelva a iniciar sesión.")
    case 89:
        ("Nothing was done: this program's user id is no account of this machine. Ask from a login of yours.",
         "No se hizo nada: el identificador de usuario de este programa no es de ninguna cuenta de este equipo. Pídalo desde una sesión suya.")
    case 90:
        ("Too many codes were asked for with that name lately. Nothing was sent; try again in five minutes.",
         "Últimamente se han pedido demasiados códigos con ese nombre. No se envió nada; inténtelo de nuevo dentro de cinco minutos.")
    case 91:
        ("less than a minute",
         "menos de un minuto")
    case 92:
        ("{0} day",
         "{0} día")
    case 93:
        ("{0} days",
         "{0} días")
    case 94:
        ("{0} hour",
         "{0} hora")
    case 95:
        ("{0} hours",
         "{0} horas")
    case 96:
        ("{0} minute",
         "{0} minuto")
    case 97:
        ("{0} minutes",
         "{0} minutos")
    case 98:
        ("{0} left",
         "caduca en {0}")
    case 99:
        ("expired {0} ago",
         "caducado hace {0}")
    case 100:
        ("{0} ago, at {1}",
         "hace {0} ({1})")
    case 101:
        ("Signed in to Amazon Cognito as {0}{1}.",
         "Sesión iniciada en Amazon Cognito como {0}{1}.")
    case 102:
        ("Signed in to Amazon Cognito as {0}{1}, but the access token has expired.",
         "Sesión iniciada en Amazon Cognito como {0}{1}, pero el token de acceso ha caducado.")
    case 103:
        ("User pool",
         "Grupo de usuarios")
    case 104:
        ("App client",
         "Aplicación cliente")
    case 105:
        ("Groups",
         "Grupos")
    case 106:
        ("none",
         "ninguno")
    case 107:
        ("Signed in",
         "Sesión iniciada")
    case 108:
        ("Renewed",
         "Renovada")
    case 109:
        ("not yet",
         "todavía no")
    case 110:
        ("Access token",
         "Token de acceso")
    case 111:
        ("ID token",
         "Token de ID")
    case 112:
        ("Refresh token",
         "Token de renovación")
    case 113:
        ("kept from this session by the configuration",
         "la configuración lo retiene fuera de esta sesión")
    case 114:
        ("{0}, by this machine's settings",
         "{0}, según la configuración de este equipo")
    case 115:
        ("of unknown end",
         "sin fin conocido")
    case 116:
        ("Session",
         "Sesión")
    case 117:
        ("At logout",
         "Al salir")
    case 118:
        ("keyring {0} ({1}), key {2}; shared by another session of yours, and gone when that one ends",
         "llavero {0} ({1}), clave {2}; compartida por otra sesión suya, desaparece cuando esa termina")
    case 119:
        ("keyring {0} ({1}), key {2}",
         "llavero {0} ({1}), clave {2}")
    case 120:
        ("Cognito signs you out everywhere: all your sessions, on all machines.",
         "Cognito cierra su sesión en todas partes: todas sus sesiones, en todos los equipos.")
    case 121:
        ("Cognito signs you out everywhere, when this is your last session on this machine.",
         "Cognito cierra su sesión en todas partes, cuando esta es su última sesión en este equipo.")
    case 122:
        ("Cognito revokes the tokens of this session; others go on.",
         "Cognito revoca los tokens de esta sesión; las demás continúan.")
    case 123:
        ("Nothing: the tokens stay valid until they expire.",
         "Nada: los tokens siguen siendo válidos hasta que caducan.")
    case 124:
        ("The access token has expired.",
         "El token de acceso ha caducado.")
    case 125:
        ("cognito-session refresh renews it, if Cognito still accepts the refresh token.",
         "cognito-session refresh lo renueva, si Cognito aún acepta el token de renovación.")
    case 126:
        ("Sign out and sign in again to get new ones.",
         "Cierre la sesión y vuelva a iniciarla para obtener otros.")
    case 127:
        ("This session also holds tokens of {0} (key {1}).",
         "Esta sesión contiene además tokens de {0} (clave {1}).")
    case 128:
        ("There are no Cognito tokens in this session.",
         "No hay tokens de Cognito en esta sesión.")
    case 129:
        ("The Cognito tokens of this session have expired and are gone.",
         "Los tokens de Cognito de esta sesión han caducado y ya no están.")
    case 130:
        ("This process has outlived its session: the session's keyring was revoked when its person logged out.",
         "Este proceso ha sobrevivido a su sesión: el llavero de la sesión se revocó cuando su titular salió.")
    case 131:
        ("Sign in again, and start this program from the new session.",
         "Vuelva a iniciar sesión y arranque este programa desde la nueva sesión.")
    case 132:
        ("This runs inside tmux, whose server keeps the keyring of the session that it was started in.",
         "Esto se ejecuta dentro de tmux, cuyo servidor conserva el llavero de la sesión en la que se arrancó.")
    case 133:
        ("Start a new tmux server from a session with tokens: tmux -L other. Or work outside tmux.",
         "Arranque un nuevo servidor de tmux desde una sesión con tokens: tmux -L other. O trabaje fuera de tmux.")
    case 134:
        ("This runs inside screen, which keeps the keyring of the session that it was started in.",
         "Esto se ejecuta dentro de screen, que conserva el llavero de la sesión en la que se arrancó.")
    case 135:
        ("Start a new screen from a session with tokens. Or work outside screen.",
         "Arranque un nuevo screen desde una sesión con tokens. O trabaje fuera de screen.")
    case 136:
        ("This runs under systemd --user, which has a keyring of its own, apart from any session's.",
         "Esto se ejecuta bajo systemd --user, que tiene un llavero propio, aparte del de cualquier sesión.")
    case 137:
        ("Run this from the session that you signed in to.",
         "Ejecute esto desde la sesión que inició.")
    case 138:
        ("This runs under sudo, which passes nobody's tokens on.",
         "Esto se ejecuta bajo sudo, que no transmite los tokens de nadie.")
    case 139:
        ("Run this without sudo, as the person who signed in.",
         "Ejecute esto sin sudo, como la persona que inició sesión.")
    case 140:
        ("This account was taken on with su: tokens come only with the account's own Cognito sign-in.",
         "A esta cuenta se ha pasado con su: solo hay tokens cuando la propia cuenta inicia sesión en Cognito.")
    case 141:
        ("Sign in as this person, by ssh or at the console.",
         "Inicie sesión como esta persona, por ssh o en la consola.")
    case 142:
        ("This process is in another account's session keyring, as after su without pam_keyinit.",
         "Este proceso está en el llavero de sesión de otra cuenta, como después de su sin pam_keyinit.")
    case 143:
        ("Sign in as this person; and in /etc/pam.d, put pam_keyinit.so before pam_cognito.so.",
         "Inicie sesión como esta persona; y en /etc/pam.d, ponga pam_keyinit.so antes de pam_cognito.so.")
    case 144:
        ("This session has no keyring of its own (only the account's default one), so tokens could not be put there.",
         "Esta sesión no tiene llavero propio (solo el predeterminado de la cuenta), así que no se pudieron poner tokens en él.")
    case 145:
        ("In /etc/pam.d, the service needs \"session optional pam_keyinit.so force revoke\" before pam_cognito.so.",
         "En /etc/pam.d, el servicio necesita \"session optional pam_keyinit.so force revoke\" antes de pam_cognito.so.")
    case 146:
        ("Either this sign-in did not go through Cognito (an ssh key, a local password), or it was signed out since.",
         "O bien este inicio de sesión no pasó por Cognito (una clave ssh, una contraseña local), o bien se ha cerrado desde entonces.")
    case 147:
        ("Run cognito-session sign-in; or log out, and sign in with your Cognito password.",
         "Ejecute cognito-session sign-in; o salga y vuelva a entrar con su contraseña de Cognito.")
    case 148:
        ("Their lifetime, set by the user pool's administrator, has run out.",
         "Su duración, fijada por el administrador del grupo de usuarios, se ha agotado.")
    case 149:
        ("Run cognito-session sign-in; or log out, and sign in again.",
         "Ejecute cognito-session sign-in; o salga y vuelva a iniciar sesión.")
    case 150:
        ("The kernel does not show the session keyring (error {0}); some containers forbid it.",
         "El núcleo no muestra el llavero de la sesión (error {0}); algunos contenedores lo prohíben.")
    case 151:
        ("Ask whoever runs this machine or container to permit keyctl(2).",
         "Pida a quien administra este equipo o contenedor que permita keyctl(2).")
    case 152:
        ("The token key of this session cannot be used. {0}",
         "No se puede usar la clave de tokens de esta sesión. {0}")
    case 153:
        ("The token bundle is not a JSON object.",
         "El paquete de tokens no es un objeto JSON.")
    case 154:
        ("The token bundle has no member \"{0}\".",
         "Al paquete de tokens le falta el miembro \"{0}\".")
    case 155:
        ("The member \"{0}\" of the token bundle has no valid value.",
         "El miembro \"{0}\" del paquete de tokens no tiene un valor válido.")
    case 156:
        ("The token bundle is larger than a key can hold.",
         "El paquete de tokens es mayor de lo que cabe en una clave.")
    case 157:
        ("Log out, and sign in again. If it happens again, tell your administrator.",
         "Salga y vuelva a iniciar sesión. Si vuelve a ocurrir, avise a su administrador.")
    case 158:
        ("The token key vanished while it was being read: the session is being signed out.",
         "La clave de tokens desapareció mientras se leía: la sesión se está cerrando.")
    case 159:
        ("Key {0}, \"{1}\", is not ours and is ignored: it belongs to uid {2} with permissions {3}, where pam_cognito's belong to root with 0b3f0000.",
         "La clave {0}, \"{1}\", no es nuestra y se pasa por alto: pertenece al uid {2} con permisos {3}, mientras que las de pam_cognito pertenecen a root con 0b3f0000.")
    case 160:
        ("Unknown option '{0}'.",
         "Opción desconocida '{0}'.")
    case 161:
        ("Unknown command '{0}'.",
         "Orden desconocida '{0}'.")
    case 162:
        ("'{0}' takes no argument '{1}'.",
         "'{0}' no admite el argumento '{1}'.")
    case 163:
        ("The option '{0}' takes no value.",
         "La opción '{0}' no admite ningún valor.")
    case 164:
        (" Did you mean '{0}'?",
         " ¿Quería decir '{0}'?")
    case 165:
        ("The option '{0}' needs a value.",
         "La opción '{0}' necesita un valor.")
    case 166:
        ("'{0}' is no time for '{1}': a number of seconds, or with s, m, h or d behind it, as in 5m.",
         "'{0}' no es un tiempo para '{1}': un número de segundos, o seguido de s, m, h o d, como en 5m.")
    case 167:
        ("'{0}' is no descriptor for '{1}': 0, or 3 to 1023.",
         "'{0}' no es un descriptor para '{1}': 0, o de 3 a 1023.")
    case 168:
        ("'{0}' is no name for '{1}': letters, digits and _, no digit first.",
         "'{0}' no es un nombre para '{1}': letras, cifras y _, sin cifra al principio.")
    case 169:
        ("'{0}' needs a command to run.",
         "'{0}' necesita una orden que ejecutar.")
    case 170:
        ("The options '{0}' and '{1}' exclude each other.",
         "Las opciones '{0}' y '{1}' se excluyen entre sí.")
    case 171:
        ("Error: {0}\nUsage: {1}\n  See '{2}{3} --help' for more information.\n",
         "Error: {0}\nUso: {1}\n  Véase '{2}{3} --help' para más información.\n")
    case 172:
        ("[COMMAND] [OPTION]...",
         "[ORDEN] [OPCIÓN]...")
    case 173:
        ("Usage:",
         "Uso:")
    case 174:
        ("Commands:",
         "Órdenes:")
    case 175:
        ("Options:",
         "Opciones:")
    case 176:
        ("Exit status:",
         "Estado de salida:")
    case 177:
        ("Show who is signed in, and how long the tokens last (the default).",
         "Muestra quién ha iniciado sesión y cuánto duran los tokens (predeterminado).")
    case 178:
        ("Print one valid token to a pipe or a file, renewed first if need be.",
         "Escribe un token válido en una tubería o un fichero; lo renueva si hace falta.")
    case 179:
        ("Print the name under which Cognito knows the person.",
         "Escribe el nombre con el que Cognito conoce a la persona.")
    case 180:
        ("Run a command that finds a valid token in a file descriptor or a variable.",
         "Ejecuta una orden que halla un token válido en un descriptor o una variable.")
    case 181:
        ("Show what a token says, and whether its signature holds.",
         "Muestra lo que dice un token y si su firma es válida.")
    case 182:
        ("Print a few characters for a shell prompt; never waits for anything.",
         "Escribe unos pocos caracteres para el indicador del shell; nunca espera a nada.")
    case 183:
        ("[--] COMMAND [ARGUMENT]...",
         "[--] ORDEN [ARGUMENTO]...")
    case 184:
        ("TIME",
         "PLAZO")
    case 185:
        ("N",
         "N")
    case 186:
        ("NAME",
         "NOMBRE")
    case 187:
        ("PATH",
         "RUTA")
    case 188:
        ("Ask Cognito whether the session still stands.",
         "Pregunta a Cognito si la sesión sigue en pie.")
    case 189:
        ("Show it until the session ends; renew the tokens ahead of time.",
         "Lo muestra hasta que la sesión termina; renueva los tokens con antelación.")
    case 190:
        ("With --watch: tell on the desktop, too, with notify-send.",
         "Con --watch: avisa también en el escritorio, con notify-send.")
    case 191:
        ("Where the command reads the token (3).",
         "De dónde lee la orden el token (3).")
    case 192:
        ("The variable that holds the token instead; other programs of yours can read it.",
         "La variable que contiene el token en su lugar; otros programas suyos pueden leerla.")
    case 193:
        ("Say nothing; only set the exit status.",
         "No dice nada; solo fija el estado de salida.")
    case 194:
        ("The access token (the default).",
         "El token de acceso (predeterminado).")
    case 195:
        ("The ID token.",
         "El token de ID.")
    case 196:
        ("How long the token must still last: 90, 5m, 1h.",
         "Cuánto debe durar aún el token: 90, 5m, 1h.")
    case 197:
        ("Print it to a terminal, too.",
         "Lo escribe también en un terminal.")
    case 198:
        ("Print one JSON object.",
         "Escribe un objeto JSON.")
    case 199:
        ("Show this help; behind a command, that command's.",
         "Muestra esta ayuda; detrás de una orden, la suya.")
    case 200:
        ("Show the version.",
         "Muestra la versión.")
    case 201:
        ("Shows the Amazon Cognito sign-in of this session, and hands out its tokens.",
         "Muestra el acceso a Amazon Cognito de esta sesión y entrega sus tokens.")
    case 202:
        ("There are tokens that have not expired, or what was asked for is done.",
         "Hay tokens que no han caducado, o se ha hecho lo pedido.")
    case 203:
        ("There are no tokens in this session.",
         "No hay tokens en esta sesión.")
    case 204:
        ("The tokens have expired.",
         "Los tokens han caducado.")
    case 205:
        ("Cognito no longer accepts this session.",
         "Cognito ya no acepta esta sesión.")
    case 206:
        ("Cognito could not be reached, or could not do it at the moment.",
         "No se pudo contactar con Cognito, o no pudo hacerlo en este momento.")
    case 207:
        ("cognito-agent, which is needed for this, does not answer.",
         "cognito-agent, necesario para esto, no responde.")
    case 208:
        ("sign-out: only this session was signed out, and more was asked for.",
         "sign-out: solo se ha cerrado esta sesión, y se había pedido más.")
    case 209:
        ("The command line was wrong.",
         "La línea de órdenes era incorrecta.")
    case 210:
        ("Something else failed on this machine.",
         "Ha fallado otra cosa en este equipo.")
    case 211:
        ("The answer could not be written to standard output.",
         "No se pudo escribir la respuesta en la salida estándar.")
    case 212:
        ("Only root may do this.",
         "Solo root puede hacer esto.")
    case 213:
        ("exec: there is no token, so the command was not started.",
         "exec: no hay token, así que la orden no se ejecutó.")
    case 214:
        ("exec: the command could not be started.",
         "exec: no se pudo ejecutar la orden.")
    case 215:
        ("exec: there is no such command.",
         "exec: no existe tal orden.")
    case 216:
        ("At Cognito",
         "En Cognito")
    case 217:
        ("accepted, asked just now",
         "aceptada, consultado ahora mismo")
    case 218:
        ("accepted {0}; --online asks now",
         "aceptada {0}; --online pregunta ahora")
    case 219:
        ("not known",
         "se desconoce")
    case 220:
        ("Cognito was not asked: cognito-agent, which can, does not answer. Ask whoever runs this machine to start it.",
         "No se ha consultado a Cognito: cognito-agent, que puede hacerlo, no responde. Pida a quien administra este equipo que lo arranque.")
    case 221:
        ("Cognito was not asked: cognito-agent does not know this session. It may be signed out already; sign in again.",
         "No se ha consultado a Cognito: cognito-agent no conoce esta sesión. Puede que ya esté cerrada; vuelva a iniciar sesión.")
    case 222:
        ("Cognito could not be reached, so nobody knows whether it still accepts the session. Try again later.",
         "No se pudo conectar con Cognito, así que se desconoce si aún acepta la sesión. Vuelva a intentarlo más tarde.")
    case 223:
        ("Cognito takes no more requests at the moment, so nobody knows whether it still accepts the session. Try again in a minute.",
         "Cognito no admite más peticiones en este momento, así que no se sabe si aún acepta la sesión. Inténtelo de nuevo dentro de un minuto.")
    case 224:
        ("Cognito did not say whether it still accepts the session: it failed, or what answered was not Cognito. Try again later.",
         "Cognito no dijo si aún acepta la sesión: falló, o lo que respondió no era Cognito. Inténtelo más tarde.")
    case 225:
        ("Cognito was not asked: cognito-agent failed. The system's log says why; your administrator can read it.",
         "No se ha consultado a Cognito: cognito-agent falló. El registro del sistema dice por qué; su administrador puede leerlo.")
    case 226:
        ("Asking Cognito...",
         "Consultando a Cognito...")
    case 227:
        ("--watch draws on a terminal, and this is none. Use --check or --json in scripts.",
         "--watch dibuja en un terminal, y esto no lo es. Use --check o --json en los guiones.")
    case 228:
        ("The session has ended: its tokens are gone. Sign in again.",
         "La sesión ha terminado: sus tokens ya no están. Vuelva a iniciar sesión.")
    case 229:
        ("By this machine's settings the session ends in {0}, and cannot be renewed beyond that. Sign in again before then.",
         "Según la configuración de este equipo, la sesión termina en {0} y no se puede renovar más allá. Vuelva a iniciar sesión antes.")
    case 230:
        ("The session can no longer be renewed. Sign in again.",
         "La sesión ya no se puede renovar. Vuelva a iniciar sesión.")
    case 231:
        ("The {0} token of {1} says:",
         "El token de {0} de {1} dice:")
    case 232:
        ("access",
         "acceso")
    case 233:
        ("ID",
         "ID")
    case 234:
        ("Its signature was verified just now with the pool's keys.",
         "Su firma se ha verificado ahora mismo con las claves del grupo de usuarios.")
    case 235:
        ("It has expired: it is valid no more.",
         "Ha caducado: ya no es válido.")
    case 236:
        ("It has expired: it is valid no more, though its signature still holds.",
         "Ha caducado: ya no es válido, aunque su firma sigue siendo correcta.")
    case 237:
        ("Its signature was verified when root put it here, and not again now: cognito-agent, which can, does not answer.",
         "Su firma se verificó cuando root lo puso aquí, y ahora no: cognito-agent, que puede hacerlo, no responde.")
    case 238:
        ("Its signature was not verified now. {0}",
         "Su firma no se ha verificado ahora. {0}")
    case 239:
        ("A token in it is no JSON Web Token.",
         "Un token que contiene no es un JSON Web Token.")
    case 240:
        ("For root: list the sessions of everybody on this machine.",
         "Para root: enumera las sesiones de todas las personas en este equipo.")
    case 241:
        ("Only root may see the sessions of everybody. Run it as root; cognito-session status shows your own.",
         "Solo root puede ver las sesiones de todos. Ejecútelo como root; cognito-session status muestra la suya.")
    case 242:
        ("The sessions cannot be listed: cognito-agent cannot be started. Reinstall pam-cognito, or check its mount options.",
         "No se pueden enumerar las sesiones: no se puede arrancar cognito-agent. Reinstale pam-cognito, o compruebe sus opciones de montaje.")
    case 243:
        ("The sessions cannot be listed: root's registry in the kernel keyring cannot be read. The system's log says why.",
         "No se pueden enumerar las sesiones: no se puede leer el registro de root en el llavero del núcleo. El registro del sistema dice por qué.")
    case 244:
        ("Nobody is signed in to Amazon Cognito on this machine.",
         "Nadie tiene una sesión de Amazon Cognito en este equipo.")
    case 245:
        ("{0} session",
         "{0} sesión")
    case 246:
        ("{0} sessions",
         "{0} sesiones")
    case 247:
        ("{0} person",
         "{0} persona")
    case 248:
        ("{0} people",
         "{0} personas")
    case 249:
        ("{0} of {1}.",
         "{0} de {1}.")
    case 250:
        ("User",
         "Usuario")
    case 251:
        ("From",
         "Desde")
    case 252:
        ("State",
         "Estado")
    case 253:
        ("signing in",
         "iniciándose")
    case 254:
        ("open",
         "abierta")
    case 255:
        ("signing out",
         "cerrándose")
    case 256:
        ("one step only",
         "solo un paso")
    case 257:
        ("left behind, ended soon",
         "abandonada, se cierra pronto")
    case 258:
        ("of another container",
         "de otro contenedor")
    case 259:
        ("damaged, removed soon",
         "dañada, se elimina pronto")
    case 260:
        ("of another version",
         "de otra versión")
    case 261:
        ("entry {0}",
         "entrada {0}")
    case 262:
        ("{0} try",
         "{0} intento")
    case 263:
        ("{0} tries",
         "{0} intentos")
    case 264:
        ("soon",
         "pronto")
    case 265:
        ("{0}, next {1}",
         "{0}, el próximo {1}")
    case 266:
        ("until {0}",
         "hasta {0}")
    case 267:
        ("expired",
         "caducado")
    case 268:
        ("The command '{0}' could not be started: {1}.",
         "No se pudo ejecutar la orden '{0}': {1}.")
    case 269:
        ("The token could not be put where a command can read it.",
         "No se pudo poner el token donde una orden pueda leerlo.")
    case 270:
        ("The answer could not be written ({0}); what is at standard output is not whole. Do not use it.",
         "No se pudo escribir la respuesta ({0}); lo que haya en la salida estándar no está completo. No lo use.")
    case 271:
        ("The answer could not be written ({0}). What was asked for is done all the same.",
         "No se pudo escribir la respuesta ({0}). Lo que se pidió está hecho de todos modos.")
    case 272:
        ("Error: {0}\n",
         "Error: {0}\n")
    case 273:
        ("A token on a terminal stays in its history, for whoever scrolls back. Send it to a pipe or a file, or use --force.",
         "Un token en un terminal permanece en su historial, para quien se desplace hacia atrás. Envíelo a una tubería o a un fichero, o use --force.")
    case 274:
        ("The session's tokens have expired, and so has what renews them. Sign in again.",
         "Los tokens de la sesión han caducado, y también el que los renueva. Vuelva a iniciar sesión.")
    case 275:
        ("The token cannot be renewed: cognito-agent does not answer. Ask whoever runs this machine to start it (pam-cognito-agent.socket); or log in again.",
         "No se puede renovar el token: cognito-agent no responde. Pida a quien administra este equipo que lo arranque (pam-cognito-agent.socket); o vuelva a entrar.")
    case 276:
        ("The token cannot be renewed: cognito-agent does not know this session. Sign in again.",
         "No se puede renovar el token: cognito-agent no conoce esta sesión. Vuelva a iniciar sesión.")
    case 277:
        ("You were signed out elsewhere: Cognito no longer accepts this session. Sign in again.",
         "Su sesión se cerró desde otro lugar: Cognito ya no acepta esta sesión. Vuelva a iniciar sesión.")
    case 278:
        ("The token was not renewed: Cognito could not be reached, or its answer got lost. The session has its old tokens: try again later.",
         "No se renovó el token: no se pudo conectar con Cognito, o su respuesta se perdió. La sesión tiene sus tokens anteriores: vuelva a intentarlo más tarde.")
    case 279:
        ("The session can no longer be renewed: Cognito's answer with its newest refresh token got lost, or somebody used a copy of the old one. It ends with its access token: sign in again.",
         "La sesión ya no se puede renovar: la respuesta de Cognito con el token de renovación más nuevo se perdió, o alguien usó una copia del anterior. Termina con su token de acceso: vuelva a iniciar sesión.")
    case 280:
        ("The token cannot be renewed: Cognito takes no more requests at the moment. The session is as it was: try again in a minute.",
         "El token no se puede renovar: Cognito no admite más peticiones en este momento. La sesión está como estaba: inténtelo de nuevo dentro de un minuto.")
    case 281:
        ("The token was not renewed: Cognito failed, or what answered was not Cognito. Try again later.",
         "El token no se renovó: Cognito falló, o lo que respondió no era Cognito. Inténtelo más tarde.")
    case 282:
        ("cognito-agent has too many requests of yours. Try again in a moment.",
         "cognito-agent tiene demasiadas peticiones suyas. Vuelva a intentarlo dentro de un momento.")
    case 283:
        ("cognito-agent could not renew the token. The system's log says why; your administrator can read it.",
         "cognito-agent no pudo renovar el token. El registro del sistema dice por qué; su administrador puede leerlo.")
    case 284:
        ("The token was renewed, and lasts only {0}: less than asked for with --min-life.",
         "El token se ha renovado y solo dura {0}: menos de lo pedido con --min-life.")
    case 285:
        ("Renew the tokens now, whatever is left of them.",
         "Renueva los tokens ahora, les quede lo que les quede.")
    case 286:
        ("Sign out, here or on all devices; on a terminal it asks which.",
         "Cierra la sesión, aquí o en todos los dispositivos; en un terminal, pregunta.")
    case 287:
        ("Sign in to Cognito for a session that has no tokens.",
         "Inicia sesión en Cognito para una sesión que no tiene tokens.")
    case 288:
        ("This session only: others go on.",
         "Solo esta sesión: las demás continúan.")
    case 289:
        ("All of your sessions on this machine: others go on.",
         "Todas sus sesiones en este equipo: las demás continúan.")
    case 290:
        ("All sessions, on all machines, in every application.",
         "Todas las sesiones, en todos los equipos y todas las aplicaciones.")
    case 291:
        ("Ask nothing; without --global, this session only.",
         "No pregunta nada; sin --global, solo esta sesión.")
    case 292:
        ("There is no terminal to ask on: say --local for this session, or --global for all devices.",
         "No hay terminal en el que preguntar: indique --local para esta sesión, o --global para todos los dispositivos.")
    case 293:
        ("Signing in asks questions, and there is no terminal to ask them on.",
         "Iniciar sesión requiere hacer preguntas, y no hay terminal en el que hacerlas.")
    case 294:
        ("You cancelled: nothing was changed.",
         "Ha cancelado: nada ha cambiado.")
    case 295:
        ("Renewed. The access token lasts {0}.\n",
         "Renovado. El token de acceso dura {0}.\n")
    case 296:
        ("On ALL devices.",
         "En TODOS los dispositivos.")
    case 297:
        ("Sign out of Amazon Cognito\n\n  1  This session only. Your other sessions go on.\n  2  This machine. All of your sessions here end; those on other machines go on.\n  3  {0} Every session of yours ends, on all machines and in every\n     application of the user pool. This cannot be taken back.\n  4  Cancel. Nothing changes.\n\n",
         "Cerrar la sesión de Amazon Cognito\n\n  1  Solo esta sesión. Sus otras sesiones continúan.\n  2  Este equipo. Terminan todas sus sesiones aquí; las de otros equipos\n     continúan.\n  3  {0} Terminan todas sus sesiones, en todos los\n     equipos y en todas las aplicaciones del grupo de usuarios. No se puede\n     deshacer.\n  4  Cancelar. Nada cambia.\n\n")
    case 298:
        ("Choice [4]: ",
         "Opción [4]: ")
    case 299:
        ("Sign out on ALL devices, in every application of the user pool? [y/N]: ",
         "¿Cerrar la sesión en TODOS los dispositivos, en todas las aplicaciones del grupo de usuarios? [s/N]: ")
    case 300:
        ("y",
         "s")
    case 301:
        ("yes",
         "sí")
    case 302:
        ("Nothing was changed.\n",
         "Nada ha cambiado.\n")
    case 303:
        ("Signed out of this session: its tokens are gone from here, and Cognito is being told to revoke them. Your other sessions go on.\n",
         "Se ha cerrado esta sesión: sus tokens se han eliminado de aquí y se está pidiendo a Cognito que los revoque. Sus otras sesiones continúan.\n")
    case 304:
        ("Signed out of your only session on this machine: its tokens are gone from here, and Cognito is being told to revoke them. Sessions elsewhere go on.\n",
         "Se ha cerrado su única sesión en este equipo: sus tokens se han eliminado de aquí y se está pidiendo a Cognito que los revoque. Las sesiones en otros lugares continúan.\n")
    case 305:
        ("Signed out of your {0} sessions on this machine: their tokens are gone from here, and Cognito is being told to revoke them. Sessions elsewhere go on.\n",
         "Se han cerrado sus {0} sesiones en este equipo: sus tokens se han eliminado de aquí y se está pidiendo a Cognito que los revoque. Las sesiones en otros lugares continúan.\n")
    case 306:
        ("You have no session with Cognito tokens on this machine, so nothing was signed out.\n",
         "No tiene ninguna sesión con tokens de Cognito en este equipo, así que no se cerró nada.\n")
    case 307:
        ("some of your sessions on this machine were not signed out, since other requests about them take too long. Try again in a minute.",
         "algunas de sus sesiones en este equipo no se han cerrado, porque otras peticiones sobre ellas tardan demasiado. Inténtelo de nuevo dentro de un minuto.")
    case 308:
        ("Signed out on all devices.\n",
         "Se ha cerrado la sesión en todos los dispositivos.\n")
    case 309:
        ("You had been signed out already. What was left here is gone.\n",
         "Su sesión ya estaba cerrada. Lo que quedaba aquí se ha eliminado.\n")
    case 310:
        ("The tokens are gone from this session. cognito-agent does not answer, so Cognito revokes them only at logout.\n",
         "Los tokens se han eliminado de esta sesión. cognito-agent no responde, así que Cognito no los revoca hasta que usted salga.\n")
    case 311:
        ("There are no Cognito tokens in this session, so nothing was signed out. {0}\n",
         "No hay tokens de Cognito en esta sesión, así que no se cerró nada. {0}\n")
    case 312:
        ("Invalid or expired session",
         "Sesión no válida o caducada")
    case 313:
        ("Error signing out: {0}",
         "Error al cerrar la sesión: {0}")
    case 314:
        ("Your other devices may still be signed in: sign in, then sign out everywhere.",
         "Puede que sus otros dispositivos sigan con la sesión abierta: inicie sesión y ciérrela entonces en todos.")
    case 315:
        ("This session had been ended before. Your other devices may still be signed in: sign in, then sign out everywhere.",
         "Esta sesión ya estaba cerrada. Puede que sus otros dispositivos sigan con la sesión abierta: inicie sesión y ciérrela entonces en todos.")
    case 316:
        ("This session had expired. Your other devices may still be signed in: sign in, then sign out everywhere.",
         "Esta sesión había caducado. Puede que sus otros dispositivos sigan con la sesión abierta: inicie sesión y ciérrela entonces en todos.")
    case 317:
        ("Cognito no longer knows your account. What was left of this session is gone.",
         "Cognito ya no conoce su cuenta. Lo que quedaba de esta sesión se ha eliminado.")
    case 318:
        ("only this session was signed out, since your password was reset. Your other devices may still be signed in: set a new password, sign in, then sign out everywhere.",
         "solo se ha cerrado esta sesión, porque se ha restablecido su contraseña. Puede que sus otros dispositivos sigan con la sesión abierta: ponga una contraseña nueva, inicie sesión y ciérrela entonces en todos.")
    case 319:
        ("only this session was signed out, since your account is not confirmed. Your other devices may still be signed in: confirm it, sign in, then sign out everywhere.",
         "solo se ha cerrado esta sesión, porque su cuenta no está confirmada. Puede que sus otros dispositivos sigan con la sesión abierta: confírmela, inicie sesión y ciérrela entonces en todos.")
    case 320:
        ("only this session was signed out, since your account is disabled. Your other devices may still be signed in: tell your administrator.",
         "solo se ha cerrado esta sesión, porque su cuenta está desactivada. Puede que sus otros dispositivos sigan con la sesión abierta: avise a su administrador.")
    case 321:
        ("only this session was signed out, since its tokens do not allow more. Your other devices may still be signed in: tell your administrator.",
         "solo se ha cerrado esta sesión, porque sus tokens no permiten más. Puede que sus otros dispositivos sigan con la sesión abierta: avise a su administrador.")
    case 322:
        ("only this session was signed out, since the user pool's firewall refused more. Your other devices may still be signed in: sign in and try again later, or tell your administrator.",
         "solo se ha cerrado esta sesión, porque el cortafuegos del grupo de usuarios denegó lo demás. Puede que sus otros dispositivos sigan con la sesión abierta: inicie sesión e inténtelo de nuevo más tarde, o avise a su administrador.")
    case 323:
        ("only this session was signed out, since this machine's settings do not fit the user pool. Your other devices may still be signed in: tell your administrator.",
         "solo se ha cerrado esta sesión, porque los ajustes de este equipo no encajan con el grupo de usuarios. Puede que sus otros dispositivos sigan con la sesión abierta: avise a su administrador.")
    case 324:
        ("only this session was signed out, since Cognito refused more. Your other devices may still be signed in: sign in, then sign out everywhere.",
         "solo se ha cerrado esta sesión, porque Cognito denegó lo demás. Puede que sus otros dispositivos sigan con la sesión abierta: inicie sesión y ciérrela entonces en todos.")
    case 325:
        ("only this session was signed out, since Cognito did not renew its tokens for more. Your other devices may still be signed in: sign in, then sign out everywhere.",
         "solo se ha cerrado esta sesión, porque Cognito no renovó sus tokens para más. Puede que sus otros dispositivos sigan con la sesión abierta: inicie sesión y ciérrela entonces en todos.")
    case 326:
        ("only this session was signed out, since you have signed in here again meanwhile. Your other devices may still be signed in: sign out everywhere from the new session.",
         "solo se ha cerrado esta sesión, porque entretanto ha vuelto a iniciar sesión aquí. Puede que sus otros dispositivos sigan con la sesión abierta: ciérrela en todos desde la sesión nueva.")
    case 327:
        ("only this session was signed out, since Cognito did not carry out more just then. Your other devices may still be signed in: sign in, then sign out everywhere.",
         "solo se ha cerrado esta sesión, porque Cognito no llevó a cabo lo demás en ese momento. Puede que sus otros dispositivos sigan con la sesión abierta: inicie sesión y ciérrela entonces en todos.")
    case 328:
        ("cognito-agent, which is needed to reach Cognito, does not answer. Nothing was changed. With --local the tokens go from this session.",
         "cognito-agent, necesario para conectar con Cognito, no responde. Nada ha cambiado. Con --local los tokens se eliminan de esta sesión.")
    case 329:
        ("Cognito could not be reached, so nobody was signed out, and the tokens are kept. Try again later, or leave only this session with --local.",
         "No se pudo conectar con Cognito, así que no se ha cerrado ninguna sesión y los tokens se conservan. Vuelva a intentarlo más tarde, o salga solo de esta sesión con --local.")
    case 330:
        ("Cognito takes no more requests at the moment, so nobody was signed out, and the tokens are kept. Try again in a minute, or leave only this session with --local.",
         "Cognito no admite más peticiones en este momento, así que no se cerró ninguna sesión y los tokens se conservan. Inténtelo de nuevo dentro de un minuto, o deje solo esta sesión con --local.")
    case 331:
        ("Cognito did not say that you are signed out: it failed, or what answered was not Cognito. The tokens are kept. Try again later, or leave only this session with --local.",
         "Cognito no dijo que se haya cerrado su sesión: falló, o lo que respondió no era Cognito. Los tokens se conservan. Inténtelo más tarde, o deje solo esta sesión con --local.")
    case 332:
        ("cognito-agent has too many requests of yours. Nothing was changed; try again in a minute.",
         "cognito-agent tiene demasiadas peticiones suyas. Nada ha cambiado; vuelva a intentarlo dentro de un minuto.")
    case 333:
        ("cognito-agent could not do it. Nothing was changed; the system's log says why, and your administrator can read it.",
         "cognito-agent no pudo hacerlo. Nada ha cambiado; el registro del sistema dice por qué, y su administrador puede leerlo.")
    case 334:
        ("This session has tokens already. To renew them: cognito-session refresh. To sign in anew, sign out before: cognito-session sign-out --local",
         "Esta sesión ya tiene tokens. Para renovarlos: cognito-session refresh. Para iniciar sesión de nuevo, ciérrela antes: cognito-session sign-out --local")
    case 335:
        ("cognito-agent, which is needed to sign in here, does not answer. Ask whoever runs this machine to start it.",
         "cognito-agent, necesario para iniciar sesión aquí, no responde. Pida a quien administra este equipo que lo arranque.")
    case 336:
        ("cognito-agent ended before you were signed in. The system's log says why; your administrator can read it.",
         "cognito-agent terminó antes de que se iniciara su sesión. El registro del sistema dice por qué; su administrador puede leerlo.")
    case 337:
        ("You were not signed in: an answer was missing.",
         "No se inició su sesión: faltó una respuesta.")
    case 338:
        ("This session's keyring is not one of its own, and the program that started this one cannot be given another. Log in anew, and try again.",
         "El llavero de esta sesión no es propio, y al programa que arrancó este no se le puede dar otro. Entre de nuevo en el equipo y vuelva a intentarlo.")
    case 339:
        ("Set a new password with a code, when the old one is forgotten.",
         "Establece una nueva contraseña con un código, cuando se ha olvidado la anterior.")
    case 340:
        ("[USER]",
         "[USUARIO]")
    case 341:
        ("Setting a new password takes a terminal to ask you at. Run this in one.",
         "Establecer una nueva contraseña requiere un terminal en el que preguntarle. Ejecute esto en uno.")
    case 342:
        ("Your password is unchanged: cognito-agent, which asks Cognito, does not answer. Ask your administrator to start it (pam-cognito-agent.socket), or reset your password where you usually sign in.",
         "Su contraseña no ha cambiado: cognito-agent, que consulta a Cognito, no responde. Pida a su administrador que lo arranque (pam-cognito-agent.socket), o restablezca la contraseña donde suele iniciar sesión.")
    case 343:
        ("cognito-agent ended before the end. If you had typed the new password twice, try it first; else try again.",
         "cognito-agent terminó antes de tiempo. Si ya había escrito dos veces la nueva contraseña, pruebe primero con ella; si no, inténtelo de nuevo.")
    case 344:
        ("Your password is unchanged: an answer was missing.",
         "Su contraseña no ha cambiado: faltó una respuesta.")
    case 345:
        ("Find out what is wrong with this machine's set-up, as root.",
         "Averigua qué falla en la configuración de este equipo, como root.")
    case 346:
        ("Another configuration file than /etc/security/pam_cognito.conf.",
         "Otro fichero de configuración que /etc/security/pam_cognito.conf.")
    case 347:
        ("'{0}' is no path for '{1}'.",
         "'{0}' no es una ruta para '{1}'.")
    case 348:
        ("doctor: it works, and something should be mended.",
         "doctor: funciona, y algo debería corregirse.")
    case 349:
        ("doctor: somebody cannot sign in who should, or can who should not.",
         "doctor: alguien no puede iniciar sesión y debería, o puede y no debería.")
    case 350:
        ("The doctor looks at files and keys that only root may see. Run it as root: sudo cognito-session doctor.",
         "El diagnóstico examina ficheros y claves que solo root puede ver. Ejecútelo como root: sudo cognito-session doctor.")
    case 351:
        ("Configuration",
         "Configuración")
    case 352:
        ("Files",
         "Ficheros")
    case 353:
        ("Worker account",
         "Cuenta auxiliar")
    case 354:
        ("Keyrings",
         "Llaveros")
    case 355:
        ("PAM stacks",
         "Pilas PAM")
    case 356:
        ("sshd",
         "sshd")
    case 357:
        ("Worker",
         "Auxiliar")
    case 358:
        ("Cognito",
         "Cognito")
    case 359:
        ("People",
         "Personas")
    case 360:
        ("Note",
         "Nota")
    case 361:
        ("Warning",
         "Aviso")
    case 362:
        ("Broken",
         "Avería")
    case 363:
        ("Why",
         "Motivo")
    case 364:
        ("Mend",
         "Remedio")
    case 365:
        ("{0} thing to mend",
         "{0} cosa que corregir")
    case 366:
        ("{0} things to mend",
         "{0} cosas que corregir")
    case 367:
        ("none asks Cognito",
         "ninguno consulta a Cognito")
    case 368:
        ("Cognito cannot be reached",
         "no se puede conectar con Cognito")
    case 369:
        ("pam_cognito.conf has a mistake",
         "pam_cognito.conf tiene un error")
    case 370:
        ("/run/pam-cognito/disabled is there",
         "existe /run/pam-cognito/disabled")
    case 371:
        ("pam_cognito.so is not there",
         "falta pam_cognito.so")
    case 372:
        ("No service in /etc/pam.d asks Cognito.",
         "Ningún servicio de /etc/pam.d consulta a Cognito.")
    case 373:
        ("Nobody can sign in with Cognito yet.",
         "Nadie puede iniciar sesión con Cognito todavía.")
    case 374:
        ("\"{0}\" is no type; there are auth, account, session, password and @include",
         "\"{0}\" no es un tipo; existen auth, account, session, password y @include")
    case 375:
        ("\"{0}\" is no control that libpam can read",
         "\"{0}\" no es un control que libpam pueda leer")
    case 376:
        ("the line ends before a module is named",
         "la línea acaba antes de nombrar un módulo")
    case 377:
        ("it includes \"{0}\", which is not there",
         "incluye \"{0}\", que no existe")
    case 378:
        ("files include one another without end",
         "los ficheros se incluyen unos a otros sin fin")
    case 379:
        ("with all that it includes, the service has more than {0} lines",
         "con todo lo que incluye, el servicio tiene más de {0} líneas")
    case 380:
        ("{0}: /etc/pam.d/{1}, line {2}, cannot be read: {3}.",
         "{0}: no se puede leer /etc/pam.d/{1}, línea {2}: {3}.")
    case 381:
        ("libpam lets whatever meets such a line fail: nobody may come in, root neither.",
         "libpam hace fallar todo lo que encuentra una línea así: puede que nadie entre, ni siquiera root.")
    case 382:
        ("{0}: the auth lines let people in with a wrong password, or without Cognito's yes.",
         "{0}: las líneas auth dejan entrar con una contraseña errónea, o sin el sí de Cognito.")
    case 383:
        ("What one module refused, a later line accepts: whoever knows an account's name is that person.",
         "Lo que un módulo rechazó, lo acepta una línea posterior: quien conoce el nombre de una cuenta es esa persona.")
    case 384:
        ("{0}: an account that Cognito refuses gets in with a local password.",
         "{0}: una cuenta que Cognito rechaza entra con una contraseña local.")
    case 385:
        ("Whoever was disabled at Cognito, or fails its second factor, still comes in; after pam_cognito, \"sufficient\" or \"default=ignore\" does that.",
         "Quien está deshabilitado en Cognito, o falla en su segundo factor, entra a pesar de ello; lo causa \"sufficient\" o \"default=ignore\" después de pam_cognito.")
    case 386:
        (" while {0}",
         " mientras {0}")
    case 387:
        ("{0}: local accounts or root cannot sign in{1}, with the right password.",
         "{0}: las cuentas locales o root no pueden iniciar sesión{1}, con la contraseña correcta.")
    case 388:
        ("Nobody could come in to repair the machine: pam_cognito's \"ignore\", \"authinfo_unavail\" and \"module_unknown\" must lead to pam_unix.",
         "Nadie podría entrar a reparar el equipo: \"ignore\", \"authinfo_unavail\" y \"module_unknown\" de pam_cognito deben llevar a pam_unix.")
    case 389:
        ("{0}: the account lines keep local accounts or root out{1}.",
         "{0}: las líneas account dejan fuera a cuentas locales o a root{1}.")
    case 390:
        ("They gave the right password and are sent away all the same.",
         "Dieron la contraseña correcta y aun así se los rechaza.")
    case 391:
        ("{0}: sessions of local accounts or root cannot begin{1}.",
         "{0}: las sesiones de cuentas locales o de root no pueden empezar{1}.")
    case 392:
        ("{0}: local accounts cannot change their passwords{1}.",
         "{0}: las cuentas locales no pueden cambiar su contraseña{1}.")
    case 393:
        ("They are Cognito's business no more than at sign-in.",
         "No son asunto de Cognito, como tampoco al iniciar sesión.")
    case 394:
        ("{0}: Cognito's accounts cannot sign in: the {1} lines fail although Cognito says yes.",
         "{0}: las cuentas de Cognito no pueden iniciar sesión: las líneas {1} fallan aunque Cognito diga que sí.")
    case 395:
        ("A success of pam_cognito must end in a success: the number of lines that it jumps over, or what stands behind it, is wrong.",
         "Un éxito de pam_cognito debe acabar en éxito: el número de líneas que salta, o lo que le sigue, es incorrecto.")
    case 396:
        ("{0}: setting credentials (pam_setcred) fails after a good sign-in.",
         "{0}: establecer las credenciales (pam_setcred) falla tras un inicio de sesión correcto.")
    case 397:
        ("sshd closes the connection then, after keyboard-interactive and after a key: in its process the auth lines are gone through anew, without anybody having typed anything.",
         "sshd cierra entonces la conexión, tras keyboard-interactive y tras una clave: en su proceso se recorren de nuevo las líneas auth, sin que nadie haya escrito nada.")
    case 398:
        ("{0}: pam_faillock's lock does not hold.",
         "{0}: el bloqueo de pam_faillock no surte efecto.")
    case 399:
        ("Who has failed too often gets in with the next guess all the same.",
         "Quien ha fallado demasiadas veces entra de todos modos al siguiente intento.")
    case 400:
        ("{0}: Cognito is asked before pam_faillock has looked, or although it said no.",
         "{0}: se consulta a Cognito antes de que pam_faillock haya mirado, o aunque dijera que no.")
    case 401:
        ("Every guess still reaches Cognito, which locks the person out everywhere; \"requisite pam_faillock.so preauth\" belongs before pam_cognito.",
         "Cada intento llega a Cognito, que bloquea a la persona en todas partes; \"requisite pam_faillock.so preauth\" va antes de pam_cognito.")
    case 402:
        ("{0}: pam_faillock is there and counts no failure of Cognito's accounts.",
         "{0}: pam_faillock está presente y no cuenta ningún fallo de las cuentas de Cognito.")
    case 403:
        ("Guessing is never slowed down here; \"pam_faillock.so authfail\" must be on the way of a refusal.",
         "Aquí nunca se frena a quien prueba contraseñas; \"pam_faillock.so authfail\" debe estar en el camino de un rechazo.")
    case 404:
        ("{0}: pam_faillock counts a failure while Cognito cannot be reached.",
         "{0}: pam_faillock cuenta un fallo mientras no se puede conectar con Cognito.")
    case 405:
        ("An hour without network locks people out; \"authinfo_unavail\" and \"cred_unavail\" must lead past \"pam_faillock.so authfail\".",
         "Una hora sin red bloquea a las personas; \"authinfo_unavail\" y \"cred_unavail\" deben saltar \"pam_faillock.so authfail\".")
    case 406:
        ("{0}: a good sign-in does not make pam_faillock forget earlier failures.",
         "{0}: un inicio de sesión correcto no hace que pam_faillock olvide los fallos anteriores.")
    case 407:
        ("A slip now and then adds up, until somebody is locked out who knows the password.",
         "Los descuidos se van sumando, hasta que se bloquea a alguien que conoce la contraseña.")
    case 408:
        ("{0}: pam_faillock counts failures in files that the caller of su may come to write.",
         "{0}: pam_faillock cuenta los fallos en archivos que quien llama a su puede llegar a escribir.")
    case 409:
        ("Whoever does keeps others out, or forgets their own failures; and where such a file cannot be opened, local accounts stay out. pam_cognito counts by itself (max_failures).",
         "Quien lo haga deja fuera a otros, o borra sus propios fallos; y si un archivo así no se puede abrir, las cuentas locales quedan fuera. pam_cognito cuenta por sí mismo (max_failures).")
    case 410:
        ("Others than root may write what pam_faillock has counted: {0}.",
         "Otros además de root pueden escribir lo que pam_faillock ha contado: {0}.")
    case 411:
        ("Members of the group that such a file belongs to keep that account out, or forget its failures.",
         "Los miembros del grupo al que pertenece un archivo así dejan fuera a esa cuenta, o borran sus fallos.")
    case 412:
        ("{0}: accounts that have expired on this machine get in.",
         "{0}: entran cuentas que han caducado en este equipo.")
    case 413:
        ("The account lines end before pam_unix has looked; pam_cognito must not be \"sufficient\" there, nor \"done\".",
         "Las líneas account acaban antes de que pam_unix haya mirado; ahí pam_cognito no debe ser \"sufficient\" ni \"done\".")
    case 414:
        ("No account line asks pam_unix; it looks at chage(1)'s dates and at locked accounts.",
         "Ninguna línea account consulta a pam_unix, que comprueba las fechas de chage(1) y las cuentas bloqueadas.")
    case 415:
        ("{0}: people get in although /etc/nologin is there.",
         "{0}: se puede entrar aunque exista /etc/nologin.")
    case 416:
        ("The lines end before pam_nologin has looked; pam_cognito must not be \"sufficient\" there, nor \"done\".",
         "Las líneas acaban antes de que pam_nologin haya mirado; ahí pam_cognito no debe ser \"sufficient\" ni \"done\".")
    case 417:
        ("{0}: key_logins = refuse has no effect.",
         "{0}: key_logins = refuse no surte efecto.")
    case 418:
        ("Cognito's accounts come in with an ssh key all the same; pam_cognito must stand in the account lines, and its refusal must end them.",
         "Las cuentas de Cognito entran igualmente con una clave ssh; pam_cognito debe estar en las líneas account, y su rechazo debe terminarlas.")
    case 419:
        ("{0}: pam_cognito stands in other lines, and in no auth line.",
         "{0}: pam_cognito está en otras líneas, y en ninguna línea auth.")
    case 420:
        ("Passwords are asked for, and Cognito's accounts are refused with theirs.",
         "Se piden contraseñas, y se rechaza a las cuentas de Cognito con la suya.")
    case 421:
        ("{0}: no session line reaches pam_cognito.",
         "{0}: ninguna línea session llega a pam_cognito.")
    case 422:
        ("People sign in and get no tokens; what Cognito gave is revoked when the program has ended. If it begins no session, say so: session=never behind pam_cognito.so.",
         "Se inicia sesión y no se obtienen tokens; lo que dio Cognito se revoca cuando termina el programa. Si no abre sesiones, indíquelo: session=never detrás de pam_cognito.so.")
    case 423:
        ("{0}: no account line has pam_cognito.",
         "{0}: ninguna línea account tiene pam_cognito.")
    case 424:
        ("key_logins would have no effect there.",
         "key_logins no surtiría efecto ahí.")
    case 425:
        ("{0}: pam_cognito is not in the password lines.",
         "{0}: pam_cognito no está en las líneas password.")
    case 426:
        ("Cognito's accounts cannot change their password with passwd(1).",
         "Las cuentas de Cognito no pueden cambiar su contraseña con passwd(1).")
    case 427:
        ("{0}: the {1} lines behind pam_cognito are skipped.",
         "{0}: se saltan las líneas {1} que siguen a pam_cognito.")
    case 428:
        ("\"sufficient\" or \"done\" ends them: no limits, no login session of systemd, none of what else stands there.",
         "\"sufficient\" o \"done\" las termina: sin límites, sin sesión de systemd, sin nada de lo demás que haya ahí.")
    case 429:
        ("{0}: pam_keyinit (/etc/pam.d/{1}, line {2}) comes after pam_cognito.",
         "{0}: pam_keyinit (/etc/pam.d/{1}, línea {2}) viene después de pam_cognito.")
    case 430:
        ("It makes a new session keyring: the tokens stay behind in the old one. It belongs before pam_cognito.",
         "Crea un llavero de sesión nuevo: los tokens se quedan en el anterior. Va antes de pam_cognito.")
    case 431:
        ("{0}: no \"pam_keyinit.so force revoke\" before pam_cognito.",
         "{0}: falta \"pam_keyinit.so force revoke\" antes de pam_cognito.")
    case 432:
        ("Sessions share the keyring of the program that they were started by, and what is in it outlives them.",
         "Las sesiones comparten el llavero del programa que las arrancó, y lo que contiene las sobrevive.")
    case 433:
        ("{0}: {1} asks Cognito's people for a new password before Cognito does.",
         "{0}: {1} pide una contraseña nueva a las personas de Cognito antes que Cognito.")
    case 434:
        ("They type it twice for each, and only the second counts. Whom Cognito asks first is asked once.",
         "La escriben dos veces para cada uno, y solo la segunda cuenta. A quien Cognito pregunta primero se le pregunta una vez.")
    case 435:
        ("{0}: pam_keyinit (/etc/pam.d/{1}, line {2}) is without \"revoke\".",
         "{0}: pam_keyinit (/etc/pam.d/{1}, línea {2}) está sin \"revoke\".")
    case 436:
        ("What else is in a session's keyring can still be read by programs that outlive the session.",
         "Lo demás que haya en el llavero de una sesión lo pueden leer aún los programas que la sobreviven.")
    case 437:
        ("{0}: a session begins also when its tokens could not be put into its keyring.",
         "{0}: una sesión empieza también cuando no se pudieron poner sus tokens en su llavero.")
    case 438:
        ("That is so with \"optional\"; the person sees it when they need a token.",
         "Es así con \"optional\"; la persona lo nota cuando necesita un token.")
    case 439:
        ("{0}: Cognito's accounts cannot change their password.",
         "{0}: las cuentas de Cognito no pueden cambiar su contraseña.")
    case 440:
        ("A success of pam_cognito must end the password lines: pam_unix has no password of theirs to change.",
         "Un éxito de pam_cognito debe terminar las líneas password: pam_unix no tiene ninguna contraseña suya que cambiar.")
    case 441:
        ("{0}: pam_cognito stands in the {1} lines twice.",
         "{0}: pam_cognito está dos veces en las líneas {1}.")
    case 442:
        ("A file of ours and pam-auth-update's profile are both in use: Cognito is asked twice, and refuses codes the second time.",
         "Se usan a la vez un fichero nuestro y el perfil de pam-auth-update: se consulta a Cognito dos veces, y la segunda rechaza los códigos.")
    case 443:
        ("Cognito's accounts cannot sign in there until it is corrected; local ones can.",
         "Las cuentas de Cognito no pueden iniciar sesión ahí hasta que se corrija; las locales, sí.")
    case 444:
        ("Cognito's accounts cannot change their password there until it is corrected.",
         "Las cuentas de Cognito no pueden cambiar ahí su contraseña hasta que se corrija.")
    case 445:
        ("Nothing that is set on this line or in the file holds there until it is corrected.",
         "Nada de lo que se fija en esta línea o en el fichero vale ahí hasta que se corrija.")
    case 446:
        ("{0}: /etc/pam.d/{1}, line {2}: {3}.",
         "{0}: /etc/pam.d/{1}, línea {2}: {3}.")
    case 447:
        ("{0}: the configuration is {1}.",
         "{0}: la configuración es {1}.")
    case 448:
        ("It is another one than the rest of this report is about: cognito-session doctor --config {0}.",
         "Es otra que aquella de la que trata el resto de este informe: cognito-session doctor --config {0}.")
    case 449:
        ("{0}: user pool {1}, app client {2}",
         "{0}: grupo de usuarios {1}, aplicación cliente {2}")
    case 450:
        (", line {0}",
         ", línea {0}")
    case 451:
        ("Until that is put right none of the file counts: Cognito's accounts cannot sign in, local passwords decide alone.",
         "Hasta que se corrija no cuenta nada del fichero: las cuentas de Cognito no pueden iniciar sesión, y deciden solo las contraseñas locales.")
    case 452:
        ("Without the app client's secret Cognito answers no sign-in: none of its accounts gets in.",
         "Sin el secreto de la aplicación cliente Cognito no responde a ningún inicio de sesión: ninguna de sus cuentas entra.")
    case 453:
        ("has no aws_access_key_id and aws_secret_access_key in a section [default]",
         "no tiene aws_access_key_id ni aws_secret_access_key en una sección [default]")
    case 454:
        ("Sessions that a crash left are not ended: their tokens live until they expire.",
         "Las sesiones que dejó una caída no se cierran: sus tokens viven hasta que caducan.")
    case 455:
        ("Somebody else than root has this machine's keys there, and can sign everybody in the user pool out.",
         "Alguien que no es root tiene ahí las claves de este equipo, y puede cerrar las sesiones de todos los del grupo de usuarios.")
    case 456:
        ("This machine has an IAM identity, and keeps no journal.",
         "Este equipo tiene una identidad de IAM, y no lleva diario.")
    case 457:
        ("Without journal = yes nothing is known of sessions that a crash left, and nothing is done about them.",
         "Sin journal = yes no se sabe nada de las sesiones que dejó una caída, y no se hace nada con ellas.")
    case 458:
        ("The instance's metadata at {0} answers an account without any right.",
         "Los metadatos de la instancia en {0} responden a una cuenta sin ningún derecho.")
    case 459:
        ("Workers cannot reach the instance's metadata at 169.254.169.254.",
         "Los auxiliares no llegan a los metadatos de la instancia en 169.254.169.254.")
    case 460:
        ("module, worker, agent and folders are root's alone",
         "el módulo, el auxiliar, el agente y las carpetas son solo de root")
    case 461:
        ("is not there",
         "no está")
    case 462:
        ("is no regular file",
         "no es un fichero normal")
    case 463:
        ("is no folder",
         "no es una carpeta")
    case 464:
        ("does not belong to root",
         "no pertenece a root")
    case 465:
        ("can be changed by others than root",
         "lo pueden cambiar otros aparte de root")
    case 466:
        ("can be read by others than root",
         "lo pueden leer otros aparte de root")
    case 467:
        ("is larger than anything that belongs there",
         "es mayor que cualquier cosa que deba estar ahí")
    case 468:
        ("cannot be read (errno {0})",
         "no se puede leer (errno {0})")
    case 469:
        ("cannot be read, there is no memory",
         "no se puede leer, no hay memoria")
    case 470:
        ("is empty",
         "está vacío")
    case 471:
        ("has a mode that keeps out those who need it",
         "tiene un modo que excluye a quienes lo necesitan")
    case 472:
        ("libpam cannot load it, so no service can ask Cognito.",
         "libpam no lo puede cargar, así que ningún servicio puede consultar a Cognito.")
    case 473:
        ("Nobody else speaks with Cognito: none of its accounts can sign in.",
         "Nadie más habla con Cognito: ninguna de sus cuentas puede iniciar sesión.")
    case 474:
        ("Sessions that ended badly are not ended at Cognito, and nobody can renew or sign out.",
         "Las sesiones que acabaron mal no se cierran en Cognito, y nadie puede renovar ni cerrar la suya.")
    case 475:
        ("Whoever can change it has every password that is typed, and this machine.",
         "Quien pueda cambiarlo tiene todas las contraseñas que se escriben, y este equipo.")
    case 476:
        ("What proves this machine to Cognito as people's device is in there.",
         "Ahí está lo que acredita este equipo ante Cognito como dispositivo de las personas.")
    case 477:
        ("Who has open sessions is in there; pam_cognito does not use a folder that is not root's alone.",
         "Ahí está quién tiene sesiones abiertas; pam_cognito no usa una carpeta que no sea solo de root.")
    case 478:
        ("Whoever can change it decides who gets in.",
         "Quien pueda cambiarlo decide quién entra.")
    case 479:
        ("Key sets, locks and the agent's socket have no place, and the switch that turns pam_cognito off cannot be set.",
         "No hay lugar para los conjuntos de claves, los bloqueos ni el socket del agente, y no se puede poner el interruptor que desactiva pam_cognito.")
    case 480:
        ("Somebody else than root can turn Cognito off there, or take the agent's place; pam_cognito does not use it.",
         "Alguien que no es root puede desactivar Cognito ahí, o suplantar al agente; pam_cognito no la usa.")
    case 481:
        ("/run/pam-cognito/disabled is there: pam_cognito is switched off.",
         "Existe /run/pam-cognito/disabled: pam_cognito está desactivado.")
    case 482:
        ("No service asks Cognito until it is removed or the machine restarts.",
         "Ningún servicio consulta a Cognito hasta que se elimine o el equipo se reinicie.")
    case 483:
        ("{0}, uid {1}, can sign in nowhere",
         "{0}, uid {1}, no puede iniciar sesión en ninguna parte")
    case 484:
        ("There is no account {0}.",
         "No existe la cuenta {0}.")
    case 485:
        ("Workers speak with Cognito as that account and nothing else; without it none of Cognito's accounts can sign in.",
         "Los auxiliares hablan con Cognito con esa cuenta y ninguna otra; sin ella ninguna cuenta de Cognito puede iniciar sesión.")
    case 486:
        ("Nobody is meant to be that account: it would see workers' memory.",
         "Nadie debe usar esa cuenta: vería la memoria de los auxiliares.")
    case 487:
        ("{0} has root's uid or group.",
         "{0} tiene el uid o el grupo de root.")
    case 488:
        ("{0} has a password.",
         "{0} tiene contraseña.")
    case 489:
        ("{0} has a shell, {1}.",
         "{0} tiene un shell, {1}.")
    case 490:
        ("the kernel has room for {0} more sessions",
         "en el núcleo caben {0} sesiones más")
    case 491:
        ("the kernel has them",
         "el núcleo los tiene")
    case 492:
        ("keyctl(2) is refused here (errno {0}).",
         "Aquí se rechaza keyctl(2) (errno {0}).")
    case 493:
        ("Tokens are kept in kernel keyrings only: where there are none, nobody is signed in.",
         "Los tokens se guardan solo en llaveros del núcleo: donde no los hay, nadie inicia sesión.")
    case 494:
        ("Root's key quota (kernel.keys.root_maxkeys {0}, root_maxbytes {1}) has room for {2} more sessions.",
         "En la cuota de claves de root (kernel.keys.root_maxkeys {0}, root_maxbytes {1}) caben {2} sesiones más.")
    case 495:
        ("When it is full, sign-ins with Cognito are refused.",
         "Cuando se llena, se rechazan los inicios de sesión con Cognito.")
    case 496:
        ("does not ask Cognito",
         "no consulta a Cognito")
    case 497:
        ("is not installed",
         "no está instalado")
    case 498:
        ("asks through PAM, keyboard-interactive, LoginGraceTime {0}",
         "pregunta por PAM, keyboard-interactive, LoginGraceTime {0}")
    case 499:
        ("better with PasswordAuthentication no, see pam_cognito(8)",
         "mejor con PasswordAuthentication no, vea pam_cognito(8)")
    case 500:
        ("sshd does not accept its configuration: {0}",
         "sshd no acepta su configuración: {0}")
    case 501:
        ("It will not start again, and nobody can sign in over the network.",
         "No volverá a arrancar, y nadie podrá iniciar sesión por la red.")
    case 502:
        ("It says so below \"{0}\", {1} line {2}, for {3}.",
         "Lo dice bajo «{0}», {1} línea {2}, para {3}.")
    case 503:
        ("sshd has UsePAM no.",
         "sshd tiene UsePAM no.")
    case 504:
        ("It never asks pam_cognito, and compares passwords with /etc/shadow alone.",
         "Nunca consulta a pam_cognito, y compara las contraseñas solo con /etc/shadow.")
    case 505:
        ("sshd asks for no password: neither keyboard-interactive nor password is on.",
         "sshd no pide contraseña: no están activos ni keyboard-interactive ni password.")
    case 506:
        ("Over ssh only keys get in, and a key does not sign in to Cognito.",
         "Por ssh solo se entra con claves, y una clave no inicia sesión en Cognito.")
    case 507:
        ("sshd's AuthenticationMethods leave out keyboard-interactive.",
         "AuthenticationMethods de sshd no incluye keyboard-interactive.")
    case 508:
        ("sshd has KbdInteractiveAuthentication no.",
         "sshd tiene KbdInteractiveAuthentication no.")
    case 509:
        ("The password method knows one question: whoever needs a code or a new password is refused.",
         "El método password conoce una sola pregunta: se rechaza a quien necesita un código o una contraseña nueva.")
    case 510:
        ("sshd has PermitEmptyPasswords yes.",
         "sshd tiene PermitEmptyPasswords yes.")
    case 511:
        ("It tries an empty password first, and goes by that failure when it sets credentials (pam_setcred): keyboard-interactive ends in a closed connection.",
         "Prueba primero una contraseña vacía y se guía por ese fallo al establecer las credenciales (pam_setcred): keyboard-interactive acaba con la conexión cerrada.")
    case 512:
        ("sshd's LoginGraceTime is {0} s, and Cognito alone may take {1} s (network_timeout).",
         "LoginGraceTime de sshd es {0} s, y solo Cognito puede tardar {1} s (network_timeout).")
    case 513:
        ("sshd hangs up in the middle of a sign-in when the network is slow or a code is typed.",
         "sshd corta en pleno inicio de sesión cuando la red es lenta o se escribe un código.")
    case 514:
        ("{0} and {1} more",
         "{0} y {1} más")
    case 515:
        ("unix_group names {0}, which is no group of this machine.",
         "unix_group nombra {0}, que no es un grupo de este equipo.")
    case 516:
        ("Whose account is Cognito's cannot be told: none can sign in that users does not name.",
         "No se puede saber qué cuentas son de Cognito: no puede iniciar sesión ninguna que users no nombre.")
    case 517:
        ("users names {0}, which is no account of this machine.",
         "users nombra {0}, que no es una cuenta de este equipo.")
    case 518:
        ("Somebody whom Cognito knows needs an account here, too; sshd turns others away.",
         "Quien está en Cognito necesita además una cuenta aquí; sshd rechaza a los demás.")
    case 519:
        ("{0} has uid {1}, which is below minimum_uid {2}.",
         "{0} tiene el uid {1}, inferior a minimum_uid {2}.")
    case 520:
        ("Accounts of the system are never Cognito's, whatever names them.",
         "Las cuentas del sistema nunca son de Cognito, las nombre quien las nombre.")
    case 521:
        ("{0} has a local password, too.",
         "{0} tiene además una contraseña local.")
    case 522:
        ("Nobody can become root here without Cognito.",
         "Sin Cognito, aquí nadie puede convertirse en root.")
    case 523:
        ("root has neither password nor ssh key, and neither has an account in sudo, wheel or admin that is not Cognito's: while Cognito cannot be reached, nobody repairs this machine.",
         "root no tiene contraseña ni clave ssh, y tampoco las tiene ninguna cuenta de sudo, wheel o admin que no sea de Cognito: mientras no se pueda conectar con Cognito, nadie puede reparar este equipo.")
    case 524:
        ("While Cognito cannot be reached, that one opens the account.",
         "Mientras no se puede conectar con Cognito, esa abre la cuenta.")
    case 525:
        ("{0} is in the group {1} and has a local password.",
         "{0} está en el grupo {1} y tiene una contraseña local.")
    case 526:
        ("Such an account stays local: it never signs in with Cognito, unless users names it.",
         "Una cuenta así sigue siendo local: nunca inicia sesión con Cognito, salvo que users la nombre.")
    case 527:
        ("{0} is in the group {1} and has a local password that is locked.",
         "{0} está en el grupo {1} y tiene una contraseña local bloqueada.")
    case 528:
        ("Such an account is closed, to Cognito too, until its password is unlocked or removed, or users names it.",
         "Una cuenta así está cerrada, también para Cognito, hasta que se desbloquee o se quite su contraseña, o users la nombre.")
    case 529:
        ("No account of this machine is Cognito's.",
         "Ninguna cuenta de este equipo es de Cognito.")
    case 530:
        ("Nobody can sign in with Cognito here.",
         "Aquí nadie puede iniciar sesión con Cognito.")
    case 531:
        ("an account of its own, no groups, no capabilities, no way to get any",
         "cuenta propia, sin grupos, sin capacidades ni modo de obtenerlas")
    case 532:
        (", system calls filtered",
         ", llamadas al sistema filtradas")
    case 533:
        ("The worker does not run as its own account.",
         "El auxiliar no se ejecuta con su propia cuenta.")
    case 534:
        ("The worker has supplementary groups.",
         "El auxiliar tiene grupos suplementarios.")
    case 535:
        ("The worker may gain rights by running set-uid programs.",
         "El auxiliar puede obtener derechos ejecutando programas set-uid.")
    case 536:
        ("The worker has capabilities.",
         "El auxiliar tiene capacidades.")
    case 537:
        ("A fault in what reads from the network would reach further than that one process.",
         "Un fallo en lo que lee de la red llegaría más allá de ese único proceso.")
    case 538:
        ("No worker: {0}.",
         "No hay auxiliar: {0}.")
    case 539:
        ("it said nothing understandable",
         "no dijo nada inteligible")
    case 540:
        ("there was no answer within network_timeout.",
         "no hubo respuesta dentro de network_timeout.")
    case 541:
        ("Cognito's accounts cannot sign in; sessions end when it is back. Local accounts do not notice.",
         "Las cuentas de Cognito no pueden iniciar sesión; las sesiones se cierran cuando vuelva. Las cuentas locales no lo notan.")
    case 542:
        ("There is a proxy in this environment: workers use only the one that the option proxy names.",
         "Hay un proxy en este entorno: los auxiliares solo usan el que nombra la opción proxy.")
    case 543:
        ("{0} through the proxy {1}",
         "{0} a través del proxy {1}")
    case 544:
        (", public key {0}, which is pinned",
         ", clave pública {0}, que está fijada")
    case 545:
        (", public key {0}",
         ", clave pública {0}")
    case 546:
        (", clock {0} s ahead",
         ", reloj {0} s adelantado")
    case 547:
        ("{0} answered in {1} ms (name {2}, connection {3}, TLS {4}) at {5}, certificate by {6} until {7}{8}, {9} keys; client id, secret and flow show in a sign-in only",
         "{0} respondió en {1} ms (nombre {2}, conexión {3}, TLS {4}) en {5}, certificado de {6} hasta {7}{8}, {9} claves; el id de cliente, el secreto y el flujo solo se ven al iniciar sesión")
    case 548:
        ("This machine's clock is {0} s ahead of Cognito's.",
         "El reloj de este equipo va {0} s adelantado respecto al de Cognito.")
    case 549:
        ("This machine's clock is {0} s behind Cognito's.",
         "El reloj de este equipo va {0} s atrasado respecto al de Cognito.")
    case 550:
        ("Beyond five minutes Cognito takes a right password for a wrong one, and programs take its tokens for expired.",
         "Con más de cinco minutos, Cognito toma una contraseña correcta por incorrecta y los programas dan por caducados sus tokens.")
    case 551:
        ("{0} took {1} ms to connect; connect_timeout is {2} s.",
         "{0} tardó {1} ms en conectar; connect_timeout es de {2} s.")
    case 552:
        ("A little more, and sign-ins fail as if Cognito were not there.",
         "Un poco más, y los inicios de sesión fallan como si Cognito no existiera.")
    case 553:
        ("{0} is there: this machine had the module of AWS Research and Engineering Studio.",
         "{0} existe: este equipo tuvo el módulo de AWS Research and Engineering Studio.")
    case 554:
        ("Nothing here reads it. Take \"cognito\" out of /etc/nsswitch.conf, too, and make the accounts that it made up.",
         "Nada de aquí lo lee. Quite también «cognito» de /etc/nsswitch.conf y cree las cuentas que aquel inventaba.")
    case 555:
        ("Nothing here reads it. Its accounts must exist (useradd) and be in the group; \"cognito\" goes out of /etc/nsswitch.conf, its \"sufficient\" lines out of /etc/pam.d. It let everybody in the pool in: better name groups.",
         "Nada de aquí lo lee. Sus cuentas tienen que existir (useradd) y estar en el grupo; «cognito» se quita de /etc/nsswitch.conf, y sus líneas «sufficient», de /etc/pam.d. Dejaba entrar a todo el grupo de usuarios: mejor nombre grupos.")
    case 556:
        ("USER",
         "QUIÉN")
    case 557:
        ("Say which rule makes an account Cognito's, or does not.",
         "Decir qué regla hace que una cuenta sea de Cognito, o no.")
    case 558:
        ("Try a sign-in of that account, without PAM; its tokens are revoked at once.",
         "Probar un inicio de sesión de esa cuenta, sin PAM; sus tokens se revocan enseguida.")
    case 559:
        ("'{0}' is no name for '{1}'.",
         "«{0}» no es un nombre para «{1}».")
    case 560:
        ("{0} signs in with Cognito here.",
         "{0} inicia sesión aquí con Cognito.")
    case 561:
        ("{0} does not sign in with Cognito here.",
         "{0} no inicia sesión aquí con Cognito.")
    case 562:
        ("That is no name that an account can have.",
         "Ninguna cuenta puede llamarse así.")
    case 563:
        ("There is no account {0} on this machine; Cognito's people need one here, too: {1}",
         "En este equipo no hay ninguna cuenta {0}; las personas de Cognito también necesitan una aquí: {1}")
    case 564:
        ("root is never Cognito's, whatever the configuration says.",
         "root nunca es de Cognito, diga lo que diga la configuración.")
    case 565:
        ("/run/pam-cognito/disabled is there: Cognito is switched off for everybody.",
         "/run/pam-cognito/disabled existe: Cognito está desactivado para todos.")
    case 566:
        ("The configuration has a mistake, so nobody can tell whose the account is: local passwords decide alone. cognito-session doctor says where.",
         "La configuración tiene un error, así que no se sabe de quién es la cuenta: deciden solo las contraseñas locales. cognito-session doctor dice dónde está.")
    case 567:
        ("Its uid, {0}, is below minimum_uid, {1}.",
         "Su uid, {0}, es menor que minimum_uid, {1}.")
    case 568:
        ("users names {0}.",
         "users nombra a {0}.")
    case 569:
        ("users does not name {0}, and no unix_group is set.",
         "users no nombra a {0}, y no se ha puesto ningún unix_group.")
    case 570:
        ("{0} has a password of this machine, and users does not name it: such an account stays local.",
         "{0} tiene una contraseña de este equipo, y users no la nombra: una cuenta así sigue siendo local.")
    case 571:
        ("{0} has a password of this machine that is locked, and users does not name it: such an account is closed.",
         "{0} tiene una contraseña de este equipo que está bloqueada, y users no la nombra: una cuenta así está cerrada.")
    case 572:
        ("{0} is in the group {1} (unix_group), and has no password of this machine.",
         "{0} está en el grupo {1} (unix_group) y no tiene contraseña de este equipo.")
    case 573:
        ("users does not name {0}, and it is not in the group {1} (unix_group).",
         "users no nombra a {0}, y no está en el grupo {1} (unix_group).")
    case 574:
        ("Cognito is asked about {0}.",
         "A Cognito se le pregunta por {0}.")
    case 575:
        ("Who may come in is told by their Cognito groups, at sign-in: {0}; a service may have others.",
         "Quién puede entrar lo dicen sus grupos de Cognito, al iniciar sesión: {0}; un servicio puede tener otros.")
    case 576:
        ("While Cognito cannot be asked, the password of this machine opens the account.",
         "Mientras no se pueda preguntar a Cognito, la contraseña de este equipo abre la cuenta.")
    case 577:
        ("The sign-in that is tried asks for a password on the terminal, and there is none. Run it in a terminal.",
         "El inicio de sesión de prueba pide una contraseña en el terminal, y no lo hay. Ejecútelo en un terminal.")
    case 578:
        ("This process cannot be protected (prctl), and it would hold tokens: so it stops here.",
         "Este proceso no se puede proteger (prctl) y tendría tokens: por eso se detiene aquí.")
    case 579:
        ("{0} s  {1}",
         "{0} s  {1}")
    case 580:
        ("begins, for {0}",
         "empieza, para {0}")
    case 581:
        ("asks: {0}",
         "pregunta: {0}")
    case 582:
        ("answered",
         "respondido")
    case 583:
        ("the tokens are revoked, or wait in the registry to be",
         "los tokens están revocados, o esperan a estarlo en el registro")
    case 584:
        ("The sign-in works. Its tokens were revoked at once; nobody is signed in.",
         "El inicio de sesión funciona. Sus tokens se revocaron enseguida; nadie ha quedado con sesión iniciada.")
    case 585:
        ("Cognito, or a rule of this machine, refuses the person.",
         "Cognito, o una regla de este equipo, rechaza a la persona.")
    case 586:
        ("Cognito was not asked: the account is not its business here. cognito-session doctor --explain says why.",
         "No se preguntó a Cognito: la cuenta no es asunto suyo aquí. cognito-session doctor --explain dice por qué.")
    case 587:
        ("Nobody can tell whether the password is right: something else than the person is at fault.",
         "No se sabe si la contraseña es correcta: el fallo no es de la persona.")
    case 588:
        ("Amazon Cognito: you were signed out elsewhere, or may no longer sign in. This session goes on, but its tokens are gone. For new ones: cognito-session sign-in",
         "Amazon Cognito: su sesión se cerró desde otro lugar, o ya no puede iniciarla. Esta sesión continúa, pero sus tokens ya no están. Para obtener otros: cognito-session sign-in")
    case 589:
        ("Amazon Cognito: you were signed out elsewhere, or may no longer sign in. This session's tokens are gone, and its screen is locked.",
         "Amazon Cognito: su sesión se cerró desde otro lugar, o ya no puede iniciarla. Los tokens de esta sesión ya no están, y su pantalla se ha bloqueado.")
    case 590:
        ("Amazon Cognito: you were signed out elsewhere, or may no longer sign in. This session ends now.",
         "Amazon Cognito: su sesión se cerró desde otro lugar, o ya no puede iniciarla. Esta sesión termina ahora.")
    case 591:
        ("Amazon Cognito: you are signed in so often that the pool has ended this sign-in for a newer one. This session goes on, but its tokens are gone. For new ones: cognito-session sign-in",
         "Amazon Cognito: tiene tantas sesiones abiertas que el grupo de usuarios ha terminado esta por otra más nueva. Esta sesión sigue, pero sin sus tokens. Para obtener otros: cognito-session sign-in")
    case 592:
        ("Amazon Cognito: you were signed out elsewhere, or signed in more often than the pool allows at a time. This session goes on, but its tokens are gone. For new ones: cognito-session sign-in",
         "Amazon Cognito: se ha cerrado su sesión desde otro lugar, o ha iniciado más sesiones de las que el grupo de usuarios permite a la vez. Esta sesión sigue, pero sin sus tokens. Para obtener otros: cognito-session sign-in")
    case 593:
        ("Amazon Cognito: nothing was typed here for long. You are signed out of this session in two minutes, unless you press Enter.",
         "Amazon Cognito: hace mucho que aquí no se escribe nada. Dentro de dos minutos se cierra su sesión de Cognito, salvo que pulse Intro.")
    case 594:
        ("Amazon Cognito: nothing was typed here for long. You are signed out of this session in two minutes, and its screen is locked, unless you press Enter.",
         "Amazon Cognito: hace mucho que aquí no se escribe nada. Dentro de dos minutos se cierra su sesión de Cognito y se bloquea la pantalla, salvo que pulse Intro.")
    case 595:
        ("Amazon Cognito: nothing was typed here for long. This session ends in two minutes, unless you press Enter.",
         "Amazon Cognito: hace mucho que aquí no se escribe nada. Esta sesión termina dentro de dos minutos, salvo que pulse Intro.")
    case 596:
        ("Amazon Cognito: nothing was typed here for long, so you were signed out of this session. It goes on without tokens. For new ones: cognito-session sign-in",
         "Amazon Cognito: hace mucho que aquí no se escribe nada, así que se ha cerrado su sesión de Cognito. Esta continúa sin tokens. Para obtener otros: cognito-session sign-in")
    case 597:
        ("Amazon Cognito: nothing was typed here for long, so you were signed out of this session, and its screen is locked.",
         "Amazon Cognito: hace mucho que aquí no se escribe nada, así que se ha cerrado su sesión de Cognito y se ha bloqueado la pantalla.")
    case 598:
        ("Amazon Cognito: nothing was typed here for long. This session ends now.",
         "Amazon Cognito: hace mucho que aquí no se escribe nada. Esta sesión termina ahora.")
    case 599:
        ("Usage: cognito-agent reap [--once | --now | --dry-run]\n       cognito-agent drain\n       cognito-agent failures [--reset USER]\n       cognito-agent serve\n       cognito-agent listen [--socket PATH]\n\nThe root side of pam-cognito for what no login does. Needs root. What it did is in the log, too (authpriv).\n\n  reap        ends what is left of sessions whose host is gone: their tokens are revoked at Cognito, then\n              removed from the registry in root's kernel keyring. What fails is tried again later, by other\n              rounds: after one minute, two, four, at last every quarter of an hour. Then Cognito is asked\n              whether open sessions still stand, each once in check_interval; what does not is ended\n  drain       ends all sessions, also those whose host lives: for when the machine stops. Takes ten seconds at\n              most; says what it could not end\n  failures    lists who failed to sign in lately, as whom and how often; with --reset, these of an account count no\n              more\n  serve       serves the one person behind standard input, a connected SOCK_SEQPACKET socket: renews their\n              session, signs them out. Started by listen\n  seal        seals or unseals, with systemd-creds(1), what the module keeps of this machine as people's\n              remembered devices. Started by the module\n  let-go      runs the hooks for somebody whose tokens have ended. Started by the module, and by the others here\n  accounts    says which user ids are accounts'. Started by listen\n  listen      starts such a process for each request: at a socket of systemd's (pam-cognito-agent.socket)\n              as long as somebody comes, or else at its own, until it is told to end\n  --once      one round, which is what there is without it, too\n  --now       also what need not be tried again yet, all open sessions, and as long as it takes\n  --dry-run   only say what would be done\n  --socket    another path than {0}; the tools of people use no other\n  --help      this text\n  --version   the version\n\nExit status: 0 nothing is left, 1 something could not be ended yet, 64 wrong use, 69 no socket,\n74 standard output could not be written, 77 not root.\n",
         "Uso: cognito-agent reap [--once | --now | --dry-run]\n     cognito-agent drain\n     cognito-agent failures [--reset USUARIO]\n     cognito-agent serve\n     cognito-agent listen [--socket RUTA]\n\nEl lado root de pam-cognito para lo que no hace ningún inicio de sesión. Necesita root. Lo que hizo está también en el registro (authpriv).\n\n  reap        cierra lo que queda de sesiones cuyo programa ya no está: sus tokens se revocan en Cognito y después se\n              eliminan del registro en el llavero de root del núcleo. Lo que falla lo intentan más tarde otras\n              rondas: tras un minuto, dos, cuatro, al final cada cuarto de hora. Después se pregunta a Cognito si\n              las sesiones abiertas siguen en pie, a cada una una vez en check_interval; la que no, se cierra\n  drain       cierra todas las sesiones, también las de programas vivos: para cuando el equipo se apaga. Tarda diez\n              segundos como mucho; dice lo que no pudo cerrar\n  failures    enumera quién no logró iniciar sesión últimamente, como quién y cuántas veces; con --reset, los de una\n              cuenta ya no cuentan\n  serve       atiende a la única persona detrás de la entrada estándar, un socket SOCK_SEQPACKET conectado: renueva\n              su sesión, la cierra. Lo arranca listen\n  seal        sella o abre, con systemd-creds(1), lo que el módulo guarda de este equipo como dispositivo recordado\n              de las personas. Lo arranca el módulo\n  let-go      ejecuta los ganchos de alguien cuyos tokens han terminado. Lo arrancan el módulo y los demás de aquí\n  accounts    dice qué identificadores de usuario son de cuentas. Lo arranca listen\n  listen      arranca un proceso así por cada petición: en un socket de systemd (pam-cognito-agent.socket) mientras\n              venga alguien; si no, en el suyo propio, hasta que se le dice que termine\n  --once      una ronda, que es lo que hay también sin esta opción\n  --now       también lo que aún no toca intentar, todas las sesiones abiertas, y tanto tiempo como haga falta\n  --dry-run   solo dice lo que haría\n  --socket    otra ruta que {0}; las herramientas de las personas no usan ninguna otra\n  --help      este texto\n  --version   la versión\n\nEstado de salida: 0 no queda nada, 1 algo no se pudo cerrar aún, 64 uso incorrecto, 69 sin socket,\n74 no se pudo escribir en la salida estándar, 77 sin root.\n")
    case 600:
        ("expected 'reap [--once | --now | --dry-run]', 'drain', 'failures [--reset USER]', 'serve' or 'listen'. See cognito-agent --help.",
         "se esperaba 'reap [--once | --now | --dry-run]', 'drain', 'failures [--reset USUARIO]', 'serve' o 'listen'. Véase cognito-agent --help.")
    case 601:
        ("standard output cannot be written (errno {0}): what should be there is not whole. What was done is in the log.",
         "no se puede escribir en la salida estándar (errno {0}): lo que debería estar allí no está completo. Lo que se hizo está en el registro.")
    case 602:
        ("the registry is root's; run this as root.",
         "el registro es de root; ejecute esto como root.")
    case 603:
        ("this process cannot be protected (prctl); it holds tokens, so it stops here.",
         "este proceso no se puede proteger (prctl); contiene tokens, así que se detiene aquí.")
    case 604:
        ("what root's kernel keyring counts cannot be read (errno {0}).",
         "lo que cuenta el llavero de root del núcleo no se puede leer (errno {0}).")
    case 605:
        ("standard input is no connected SOCK_SEQPACKET socket; systemd or 'listen' makes it one.",
         "la entrada estándar no es un socket SOCK_SEQPACKET conectado; systemd o 'listen' lo proporcionan.")
    case 606:
        ("{0} cannot be listened at (errno {1}); its folder must be there, and root's.",
         "no se puede escuchar en {0} (errno {1}); su carpeta debe existir y ser de root.")
    case 607:
        ("This program is started by pam_cognito.so and cognito-agent, with a socket as its standard input. It has no options. See cognito-session(1) for what a person can run.",
         "Este programa lo arrancan pam_cognito.so y cognito-agent, con un socket como entrada estándar. No tiene opciones. Véase cognito-session(1) para lo que puede ejecutar una persona.")
    case 608:
        ("This process could not be protected from others (prctl, setrlimit).",
         "Este proceso no se pudo proteger de otros (prctl, setrlimit).")
    default:
        nil
    }
}

#endif
