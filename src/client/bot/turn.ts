import type { Channel } from '../channel.ts';
import type { Message } from '../index.ts';
import type { MessageInput } from '../outbox.ts';
import type { Parley } from '../parley.ts';
import { untilAnswered } from './patience.ts';

/** What a reply is made of, besides where it goes. */
export type ReplyInput = Omit<MessageInput, 'replyToId' | 'threadId'>;

/**
 * A message, and what a bot can do about it. A bot that is started again may be given a message once more: its replies
 * have names made of the message and their order, so those that were sent are not sent again.
 */
export class MessageTurn {
  readonly message: Message;
  readonly channel: Channel;
  /** Whether it names the bot, or was written to it alone. */
  readonly isForBot: boolean;
  private readonly parley: Parley;
  private replies = 0;

  constructor(parley: Parley, message: Message, isForBot: boolean) {
    this.parley = parley;
    this.message = message;
    this.isForBot = isForBot;
    this.channel = parley.channel(message.channelId);
  }

  /** Replies, in the message's thread if it is in one. @throws ParleyError when the server refuses it */
  reply(answer: string | ReplyInput): Promise<Message> {
    const input = typeof answer === 'string' ? { content: answer } : answer;
    return this.channel.send({ ...input, ...this.place }, { nonce: this.nextName() });
  }

  /**
   * Replies piece by piece, as a model gives them: others see the text grow, and it ends as one message.
   * @param doing what others see that the bot is doing until the first piece
   * @throws ParleyError when the server refuses it; whatever `pieces` throws: then nothing is said
   */
  async stream(pieces: AsyncIterable<string> | Iterable<string>, doing = 'thinking'): Promise<Message> {
    const reply = { ...this.place, streamId: this.nextName() };
    let content = '';
    this.channel.activity(doing);
    try {
      for await (const delta of pieces) {
        // The whole text comes at the end: a piece that gets lost is only not seen before.
        this.channel.stream({ ...reply, delta, offset: content.length }).catch(() => {});
        content += delta;
      }
      // Without a socket this waits for one. Its name makes it harmless to say it twice.
      const message = await untilAnswered(() => this.channel.stream({ ...reply, done: true, content }));
      if (!message) throw new Error('A stream has ended without its message.');
      return message;
    } finally {
      this.channel.activity(null);
    }
  }

  /** Reacts to the message; a second time changes nothing. @throws ParleyError */
  async react(emoji: string): Promise<void> {
    await this.parley.rest('POST /api/messages/:id/reactions', { id: this.message.id, body: { emoji } });
  }

  private get place() {
    return { replyToId: this.message.id, threadId: this.message.threadId };
  }

  /** The same ones in the same order each time. */
  private nextName(): string {
    return `${this.message.id}:${this.replies++}`;
  }
}
