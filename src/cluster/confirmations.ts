/** How long a message waits for receivers that were silent before: one that was only frozen confirms in this time. */
const doubtMs = 100;

interface Message {
  number: number;
  confirmed: Set<string>;
  /** How many are to confirm; undefined until Redis has said so. */
  receivers: number | undefined;
  doubt: NodeJS.Timeout | undefined;
  limit: NodeJS.Timeout;
  answer: (all: boolean) => void;
}

/**
 * Waits until all nodes have confirmed a message. Redis counts who receives it, and goes on counting for minutes the
 * connection of a node that was taken away without a word, say by a power failure. So receivers that let a message wait
 * for its full time are waited for only briefly from then on, until they confirm again; nodes that did confirm it are
 * always waited for.
 */
export class Confirmations {
  private readonly messages = new Map<string, Message>();
  /** How many receivers were silent on the last message that ended, and which nodes were not, then or since. */
  private silent = 0;
  private reliable = new Set<string>();
  private count = 0;
  /** The newest message from which that is known: older ones that end later know less. */
  private known = 0;

  /** @returns whether all have confirmed the message in `ms` */
  all(id: string, ms: number): Promise<boolean> {
    return new Promise((answer) => {
      const limit = setTimeout(() => this.expire(id), ms);
      const number = ++this.count;
      this.messages.set(id, { number, confirmed: new Set(), receivers: undefined, doubt: undefined, limit, answer });
    });
  }

  /** Redis has given the message to `receivers` other nodes. */
  sent(id: string, receivers: number): void {
    const message = this.messages.get(id);
    if (!message) return;
    message.receivers = receivers;
    this.check(id, message);
  }

  /** Redis did not take the message. */
  failed(id: string): void {
    this.end(id, false);
  }

  /** Confirmations may arrive before the number of receivers is known. */
  confirm(id: string, node: string): void {
    const message = this.messages.get(id);
    if (!message) return;
    message.confirmed.add(node);
    this.reliable.add(node);
    this.check(id, message);
  }

  private check(id: string, message: Message): void {
    const { confirmed, receivers } = message;
    if (receivers === undefined) return;
    if (confirmed.size >= receivers) {
      this.learn(message);
      this.end(id, true);
    } else if (confirmed.size + this.silent >= receivers && this.reliable.isSubsetOf(confirmed)) {
      // It stays known until its time is over: who confirms late is waited for again.
      message.doubt ??= setTimeout(() => message.answer(false), doubtMs);
    }
  }

  private expire(id: string): void {
    const message = this.messages.get(id);
    if (message) this.learn(message);
    this.end(id, false);
  }

  private learn({ number, confirmed, receivers }: Message): void {
    if (receivers === undefined || number < this.known) return;
    this.known = number;
    this.silent = receivers - confirmed.size;
    this.reliable = confirmed;
  }

  private end(id: string, all: boolean): void {
    const message = this.messages.get(id);
    if (!message) return;
    clearTimeout(message.limit);
    clearTimeout(message.doubt);
    this.messages.delete(id);
    message.answer(all);
  }
}
