#!/usr/bin/env python3
"""A whole session with `agentctl app-server`, with nothing but Python's standard library.

Starts the server that is named on the command line, talks to its main agent once, allows what it
asks for, and prints what it says. The model is the script in the working directory.
"""

import json
import subprocess
import sys


class Server:
    """A server and the requests it has been sent."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, "app-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.last_id = 0
        self.words = []
        self.is_done = False

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the server has ended")
        return json.loads(line)

    def request(self, method, **params):
        """Asks, and takes care of whatever comes before the answer."""
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        while True:
            message = self.receive()
            if "method" in message:
                self.handle(message)
            elif message["id"] == self.last_id:
                if "error" in message:
                    sys.exit(f"{method}: {message['error']['message']}")
                return message["result"]

    def handle(self, message):
        method, params = message["method"], message["params"]
        if method == "approval/request":
            print(f"allowing {params['tool']}: {params['detail'].splitlines()[0]}")
            self.send({"id": message["id"], "result": {"decision": "accept"}})
        elif method == "item/completed" and params["item"]["type"] == "agentMessage":
            self.words.append(params["item"]["text"])
        elif method == "turn/completed":
            self.is_done = True

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=60)


def main():
    server = Server(sys.argv[1])
    server.request("initialize", clientInfo={"name": "jsonrpc_client.py", "version": "1"})
    started = server.request(
        "thread/start", model="script:script.yaml", sandbox="danger_full_access"
    )
    thread = started["thread"]["id"]
    server.request("turn/start", threadId=thread, input=[{"type": "text", "text": "Go."}])
    while not server.is_done:
        server.handle(server.receive())
    read = server.request("thread/read", threadId=thread)
    assert read["thread"]["status"] == "completed", read["thread"]
    assert read["events"][-1]["event_type"] == "COMPLETED", read["events"][-1]
    print("\n".join(server.words))
    return server.close()


if __name__ == "__main__":
    sys.exit(main())
