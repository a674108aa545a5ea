"""Seals and opens secrets without Node: the key by the openssl program, AES-256-GCM by libcrypto itself.

    sealing-vector.py seal PASSPHRASE VALUE [SALT_HEX NONCE_HEX]   prints enc:...
    sealing-vector.py open PASSPHRASE enc:...                      prints the value
"""

import base64
import ctypes
import ctypes.util
import os
import subprocess
import sys

crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
crypto.EVP_CIPHER_CTX_new.restype = ctypes.c_void_p
crypto.EVP_aes_256_gcm.restype = ctypes.c_void_p
GET_TAG, SET_TAG = 0x10, 0x11  # EVP_CTRL_AEAD_*; GCM's default nonce length is 12 bytes.


def key_from(passphrase, salt):
    options = ["digest:SHA256", "iter:100000", "hexpass:" + passphrase.encode().hex(), "hexsalt:" + salt.hex()]
    command = ["openssl", "kdf", "-binary", "-keylen", "32"]
    command += [word for option in options for word in ("-kdfopt", option)]
    return subprocess.run(command + ["PBKDF2"], check=True, capture_output=True).stdout


def seal(passphrase, value, salt, nonce):
    context = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
    cipher = ctypes.c_void_p(crypto.EVP_aes_256_gcm())
    clear, length = value.encode(), ctypes.c_int()
    sealed, tag = ctypes.create_string_buffer(len(clear) + 16), ctypes.create_string_buffer(16)
    assert crypto.EVP_EncryptInit_ex(context, cipher, None, key_from(passphrase, salt), nonce)
    assert crypto.EVP_EncryptUpdate(context, sealed, ctypes.byref(length), clear, len(clear))
    assert crypto.EVP_EncryptFinal_ex(context, tag, ctypes.byref(length))
    assert crypto.EVP_CIPHER_CTX_ctrl(context, GET_TAG, 16, tag)
    return "enc:" + base64.b64encode(salt + nonce + sealed.raw[: len(clear)] + tag.raw).decode()


def unseal(passphrase, text):
    data = base64.b64decode(text.removeprefix("enc:"), validate=True)
    salt, nonce, sealed, tag = data[:16], data[16:28], data[28:-16], data[-16:]
    context = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
    cipher = ctypes.c_void_p(crypto.EVP_aes_256_gcm())
    clear, length = ctypes.create_string_buffer(len(sealed) + 16), ctypes.c_int()
    assert crypto.EVP_DecryptInit_ex(context, cipher, None, key_from(passphrase, salt), nonce)
    assert crypto.EVP_DecryptUpdate(context, clear, ctypes.byref(length), sealed, len(sealed))
    assert crypto.EVP_CIPHER_CTX_ctrl(context, SET_TAG, 16, tag)
    if crypto.EVP_DecryptFinal_ex(context, ctypes.create_string_buffer(16), ctypes.byref(length)) != 1:
        sys.exit("the tag does not match")
    return clear.raw[: len(sealed)].decode()


verb, passphrase, text, *fixed = sys.argv[1:]
if verb == "seal":
    salt, nonce = [bytes.fromhex(it) for it in fixed] or (os.urandom(16), os.urandom(12))
    sys.stdout.write(seal(passphrase, text, salt, nonce))
else:
    sys.stdout.write(unseal(passphrase, text))
