#!/bin/sh
# The gateway's own addresses, as its distribution would set them, with forwarding enabled: a gateway that forwards as soon
# as it has addresses leaks most easily before the daemon runs.
set -e
sysctl -qw net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.wan0.accept_dad=0 net.ipv6.conf.lan0.accept_dad=0
ip -batch - <<IP
address add 10.0.0.1/24 dev lan0
address add fd00::1/64 dev lan0 nodad
address add 198.51.100.1/24 dev wan0
address add 2001:db8:1::1/64 dev wan0 nodad
link set lan0 up
link set wan0 up
route add default via 198.51.100.254 dev wan0
route add default via 2001:db8:1::fe dev wan0
IP
sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
