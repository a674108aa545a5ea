#!/bin/sh
# The links that exist at power-on: a device on the LAN, and a host outside that also has the far end of a tunnel. The
# gateway's own ends stay down and without addresses: network.service configures them later. Nothing here belongs to the
# gateway; a real one finds the same when it starts.
set -e
modprobe -a veth dummy wireguard nf_tables nft_ct nft_fib_inet nft_chain_nat nft_masq nft_reject_inet nft_log nft_limit nf_conntrack_netlink
# Few processes: starting one takes an emulated processor longer than its work.
ip -batch - <<IP
netns add device
netns add outside
netns add provider
link add lan0 address 02:00:00:00:01:01 type veth peer name eth0 netns device address 02:00:00:00:00:01
link add wan0 address 02:00:00:00:01:02 type veth peer name eth0 netns outside address 02:00:00:00:00:02
IP
ip -n device -batch - <<IP
link set lo up
address add 10.0.0.2/24 dev eth0
address add fd00::2/64 dev eth0 nodad
link set eth0 up
IP
ip -n outside -batch - <<IP
link set lo up
address add 198.51.100.254/24 dev eth0
address add 2001:db8:1::fe/64 dev eth0 nodad
address add 203.0.113.5/32 dev lo
address add 2001:db8:f::1/128 dev lo nodad
link set eth0 up
link add wg0 type wireguard
IP
# The outer packets of a WireGuard interface stay in the namespace in which it was created; the interface itself moves.
ip netns exec outside wg setconf wg0 /opt/vm/provider.conf
ip -n outside link set wg0 netns provider
# The default targets of the gateway's health probes are there as well.
ip -n provider -batch - <<IP
link set lo up
address add 1.1.1.1/32 dev lo
address add 9.9.9.9/32 dev lo
address add 10.77.1.1/24 dev wg0
address add fd77:1::1/64 dev wg0 nodad
address add 203.0.113.5/32 dev lo
address add 2001:db8:f::1/128 dev lo nodad
link set wg0 up
IP
