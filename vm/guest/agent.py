"""
Runs commands for the host of the machine. Each line is a request with a shell command and its time limit in seconds; it is
answered with the command's status and output.
"""
import json
import os
import subprocess

from ports import open_port

port = open_port("agent")
os.write(port, b'"ready"\n')
for line in os.fdopen(os.dup(port), "rb"):
    request = json.loads(line)
    try:
        done = subprocess.run(
            ["sh", "-c", request["command"]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=request["seconds"],
        )
        answer = {"status": done.returncode, "output": done.stdout.decode(errors="replace")}
    except subprocess.TimeoutExpired as late:
        answer = {"status": 124, "output": (late.stdout or b"").decode(errors="replace")}
    os.write(port, (json.dumps(answer) + "\n").encode())
