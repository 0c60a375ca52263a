"""Servers and sockets of the machine."""

from __future__ import annotations

ATTEMPTS = {
    "tcp_connect": "socket.create_connection(('127.0.0.1', g['tcp']), 5)",
    "tcp6_connect": "socket.create_connection(('::1', g['tcp6']), 5)",
    "mptcp_connect": "socket.socket(2, 1, 262).connect(('127.0.0.1', g['tcp']))",
    "udp_send": "socket.socket(2, 2).sendto(b'x', ('127.0.0.1', g['udp']))",
    "unix_path": "socket.socket(1).connect(g['unix'])",
    "unix_datagram": "socket.socket(1, 2).connect(g['datagram'])",
    "unix_datagram_of_a_pair": "socket.socketpair(1, 2)[0].connect(g['datagram'])",
    "unix_datagram_of_a_raw_pair": "socket.socketpair(1, 3)[0].connect(g['datagram'])",
    "unix_datagram_sent_by_a_pair": "socket.socketpair(1, 2)[0].sendto(b'x', g['datagram'])",
    "unix_abstract": "socket.socket(1).connect('\\0' + g['abstract'])",
    "tcp_listen": """
door = socket.socket()
door.listen()
found_in('/proc/net/tcp', f":{g['tcp']:04X} ")
""",
    "tcp_fast_open": "socket.socket().sendto(b'x', 0x20000000, ('127.0.0.1', g['tcp']))",
}
"""What an ordinary user can do."""

ROOT_ATTEMPTS: dict[str, str] = {}
"""What needs root."""
