"""
Applies prepared nft transactions in turn, as fast as the kernel accepts them, without starting a program for each.

`apply.py FOLDER` reads the files of the folder in the order of their names. For each number it reads it applies that many, continuing
after the last one, and prints the total.
"""
import ctypes
import pathlib
import sys

nft = ctypes.CDLL("libnftables.so.1")
nft.nft_ctx_new.restype = ctypes.c_void_p
nft.nft_ctx_get_error_buffer.restype = ctypes.c_char_p
context = ctypes.c_void_p(nft.nft_ctx_new(0))
nft.nft_ctx_buffer_error(context)

transactions = [path.read_bytes() for path in sorted(pathlib.Path(sys.argv[1]).iterdir())]
done = 0
print("ready", flush=True)
for line in sys.stdin:
    for _ in range(int(line)):
        if nft.nft_run_cmd_from_buffer(context, transactions[done % len(transactions)]) != 0:
            sys.exit(nft.nft_ctx_get_error_buffer(context).decode())
        done += 1
    print(done, flush=True)
