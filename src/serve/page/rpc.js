// JSON-RPC over a WebSocket that comes back by itself.

const FIRST_WAIT = 250;
const LONGEST_WAIT = 8000;

export class Rpc extends EventTarget {
  constructor() {
    super();
    this.next = 1;
    this.waiting = new Map();
    this.tries = 0;
    this.open = false;
    this.connect();
  }

  connect() {
    const socket = new WebSocket(`ws://${location.host}/ws`);
    this.socket = socket;
    socket.addEventListener('open', () => this.greet(socket));
    socket.addEventListener('message', (message) => this.take(message.data));
    socket.addEventListener('close', () => this.lost(socket));
  }

  async greet(socket) {
    try {
      await this.send(socket, 'initialize', {
        clientInfo: { name: 'agentctl-page', version: '1' },
        capabilities: { events: true },
      });
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'initialized' }));
      this.tries = 0;
      this.open = true;
      this.tell('open');
    } catch {
      socket.close();
    }
  }

  lost(socket) {
    if (socket !== this.socket) return;
    this.open = false;
    for (const { fail } of this.waiting.values()) fail(new Error('the connection was lost'));
    this.waiting.clear();
    this.tell('lost');
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.tries) * (0.75 + Math.random() / 2);
    this.tries += 1;
    if (this.tries === 3) this.ask_why();
    setTimeout(() => this.connect(), wait);
  }

  /** A server that was started again has another token. */
  async ask_why() {
    const answer = await fetch('/assets/icon.svg').catch(() => null);
    if (answer && answer.status === 401) this.tell('stranger');
  }

  take(text) {
    const message = JSON.parse(text);
    if (message.method === undefined) {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (!waiting) return;
      if (message.error) waiting.fail(new Error(message.error.message));
      else waiting.done(message.result);
    } else if (message.id !== undefined) {
      this.tell('request', message);
    } else {
      this.tell('notification', message);
    }
  }

  send(socket, method, params) {
    const id = this.next++;
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail });
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: params || {} }));
    });
  }

  /** Asks something; waits for a connection if there is none. */
  async call(method, params) {
    if (!this.open) await new Promise((go) => this.addEventListener('open', go, { once: true }));
    return this.send(this.socket, method, params);
  }

  /** Answers a request of the server. */
  answer(id, result) {
    if (this.open) this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }

  on(kind, handler) {
    this.addEventListener(kind, (event) => handler(event.detail));
  }

  tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }
}
