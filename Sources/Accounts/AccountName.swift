package import Base

/// The permitted names for accounts from the pool, and for the groups that they are put into.
package enum AccountName {
    /// Longer names are not permitted.
    package static let longest = 64

    /// Whether a name may be served at all: `[a-z][a-z0-9._@-]*`, without `..`, at most 64 bytes.
    ///
    /// Upper case is not folded: one answer for two spellings would be two people with one home.
    package static func isPossible(_ name: [UInt8]) -> Bool {
        guard let first = name.first, isLowerCase(first), name.count <= longest else {
            return false
        }
        let dot = UInt8(ascii: ".")
        return name.allSatisfy(isNameByte) && !zip(name, name.dropFirst()).contains { pair in pair == (dot, dot) }
    }

    /// Whether a name of a Unix group may stand in a record: as groupadd(8) takes it, and not root's.
    package static func isPossibleGroup(_ name: [UInt8]) -> Bool {
        guard let first = name.first, isLetter(first) || first == UInt8(ascii: "_"), name.count <= 32 else {
            return false
        }
        return !("root" as StaticString).equals(name)
            && name.allSatisfy { byte in isLetter(byte) || isNameByte(byte) && byte != UInt8(ascii: "@") }
    }

    /// Whether a distribution uses the name for a user or a group of its own, be it here or not: sudo(8) and others go
    /// by groups' names.
    package static func isDistributions(_ name: [UInt8]) -> Bool {
        distributionNames.withUTF8Buffer { list in
            unsafe list.split(separator: UInt8(ascii: " ")).contains { known in unsafe known.elementsEqual(name) }
        }
    }

    private static func isLowerCase(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        isLowerCase(byte | 0x20)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isLowerCase(byte) || byte.isDecimalDigit
            || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "-")].contains(byte)
    }
}

/// Users and groups of Debian's and Fedora's base systems and of their packages, by name (base-passwd, systemd's
/// sysusers.d, setup's uidgid, and what packages create).
private var distributionNames: StaticString {
    """
    root daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc gnats nobody nogroup adm tty \
    disk kmem \
    dialout fax voice cdrom floppy tape sudo audio dip operator src shadow utmp video sasl plugdev staff users wheel \
    admin mem \
    lock ftp systemd-network systemd-resolve systemd-timesync systemd-coredump systemd-oom systemd-journal \
    systemd-journal-remote systemd-journal-upload systemd-bus-proxy input kvm render sgx crontab netdev bluetooth \
    messagebus \
    dbus avahi avahi-autoipd ssh sshd ssl-cert ssh_keys docker dockerroot podman lxd lxc incus incus-admin libvirt \
    libvirt-qemu \
    libvirt-dnsmasq qemu vboxusers vboxadd wireshark pcap tcpdump postgres postgresql mysql mariadb mongodb redis \
    valkey \
    memcache memcached rabbitmq elasticsearch opensearch kibana logstash kafka zookeeper cassandra couchdb influxdb \
    grafana \
    prometheus node_exporter telegraf apache httpd nginx haproxy varnish squid caddy tomcat jetty jenkins git gitlab \
    gitlab-runner gogs gitea puppet chef ansible salt rundeck nagios icinga zabbix munin snmp debian-snmp collectd \
    syslog \
    rsyslog logcheck exim debian-exim postfix postdrop dovecot dovenull dovecot-login courier cyrus amavis clamav \
    clamupdate \
    spamd opendkim opendmarc policyd-spf mailman mailnull smmsp bind named unbound dnsmasq nsd ntp ntpsec chrony \
    openntpd rpc \
    rpcuser statd nfsnobody sssd nslcd nscd ldap openldap slapd kdc radius freerad radiusd samba sambashare \
    winbindd_priv ntlm \
    lightdm gdm sddm xdm colord saned scanner lpadmin cups cupsys cups-pk-helper usbmux geoclue geoip rtkit pulse \
    pulse-access \
    pulse-rt pipewire speech-dispatcher hplip whoopsie kernoops uuidd tss tcsd fwupd-refresh polkitd polkituser pesign \
    abrt \
    dhcpcd dhcpd landscape ubuntu debian fedora centos rocky almalinux ec2-user cloud-user core administrator vagrant \
    pi arch \
    deploy deployer nomad consul vault etcd kube kubernetes minikube k3s flatpak snap_daemon snapd swtpm ceph gluster \
    glance \
    keystone nova neutron cinder openvpn nm-openvpn nm-openconnect strongswan wireguard tor debian-tor i2psvc stunnel \
    stunnel4 \
    vpn guest test backuppc bacula barman burp rsync rsyncd sftp sftponly ftpuser vsftpd proftpd pure-ftpd tftp xrdp \
    minecraft \
    steam plex jellyfin transmission debian-transmission mpd icecast icecast2 asterisk freeswitch ircd znc ejabberd \
    prosody \
    turnserver matrix-synapse mosquitto homeassistant pihole tripwire aide ossec wazuh falco suricata snort fail2ban \
    crowdsec \
    usbguard fapolicyd setroubleshoot secadm auditor power nopasswdlogin autologin realtime jackuser uml-net \
    nvidia-persistenced \
    munge slurm gridengine hdfs yarn hadoop oracle dba oinstall sapsys db2 informix vmail vscan web-data weblogic \
    websphere \
    wildfly jboss sidekiq puma rails node npm builder buildbot mockbuild pbuilder sbuild apt _apt cognito keys nfs \
    quaggavty \
    quagga frr bird keepalived hacluster haclient pcp cockpit-ws cockpit-wsinstance gnome-initial-setup \
    gnome-remote-desktop \
    brltty utempter cgred screen slocate mlocate plocate locate halt shutdown wtmp toor haldaemon vcsa nut ups apcupsd \
    gpsd gpio \
    i2c spi dnssec dovecot-auth motion mediatomb minidlna greylist postgrey sympa roundcube nextcloud owncloud \
    wordpress drupal \
    zope plone
    """
}

extension ByteText.StringInterpolation {
    /// Names, separated by commas; `-` for none.
    package mutating func appendInterpolation(list names: [[UInt8]]) {
        appendInterpolation(names.isEmpty ? "-" : ByteText(Array(names.joined(separator: [UInt8(ascii: ",")]))))
    }
}
