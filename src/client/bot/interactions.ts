import type { Channel } from '../channel.ts';
import type { OwnEvents } from '../events.ts';
import type { Message } from '../index.ts';
import type { Parley } from '../parley.ts';
import type { RestAnswer, RestInput } from '../rest.ts';
import { untilAnswered } from './patience.ts';

/** Someone used a component of the bot's, sent a form, or invoked a command (contract §6, Interactions). */
export type Interaction = OwnEvents['interaction:created'];
type AnswerCall = 'POST /api/interactions/:id/answers';
type Answer = RestInput<AnswerCall>['body'];
type AnswerOf<T extends Answer['type']> = Omit<Extract<Answer, { type: T }>, 'type' | 'nonce'>;
export type Form = AnswerOf<'form'>['form'];
export type InteractionReply = AnswerOf<'reply'>;

/**
 * An interaction, and what a bot can answer, several times if need be. A bot that is started again may be given one once more:
 * its replies have names made of their order, so those that arrived are not made again. Every answer waits for the server to
 * be there. @throws ParleyError when the server refuses it
 */
export class InteractionTurn {
  readonly interaction: Interaction;
  readonly channel: Channel;
  private readonly parley: Parley;
  private replies = 0;
  private answered = false;

  constructor(parley: Parley, interaction: Interaction) {
    this.parley = parley;
    this.interaction = interaction;
    this.channel = parley.channel(interaction.channelId);
  }

  get user(): Interaction['user'] {
    return this.interaction.user;
  }

  /** What was filled in, by the ids of the fields. */
  get values(): Interaction['values'] {
    return this.interaction.values;
  }

  /** What was chosen in a select. */
  get chosen(): string[] {
    const { componentId, values } = this.interaction;
    const chosen = values[componentId ?? ''];
    return Array.isArray(chosen) ? chosen : [];
  }

  /** Changes the message of the component. */
  async update(changes: AnswerOf<'update'>): Promise<void> {
    await this.answer({ type: 'update', ...changes });
  }

  /** Replies for all to see. */
  async reply(answer: string | InteractionReply): Promise<Message> {
    const input = typeof answer === 'string' ? { content: answer } : answer;
    const { message } = await this.answer({ type: 'reply', ...input, nonce: this.nextNonce() });
    if (!message) throw new Error('A reply was taken without a message.');
    return message;
  }

  /** Replies for the one who did it alone. */
  async ephemeral(content: string): Promise<void> {
    await this.answer({ type: 'ephemeral', content, nonce: this.nextNonce() });
  }

  /** Has them fill in a form; what they send is for `bot.form`, under the name of what they used or invoked first. */
  async form(form: Form): Promise<void> {
    await this.answer({ type: 'form', form });
  }

  /** Shows them that the bot is at it. */
  async working(note?: string): Promise<void> {
    await this.say({ type: 'working', note });
  }

  /**
   * Says that there is nothing to show, if nothing was answered: nobody must wait for what does not come. Where the bot may
   * not say it, since it has ended, or the bot is out of the channel, that is no failure.
   */
  async finish(): Promise<void> {
    if (!this.answered) await this.answer({ type: 'done' }).catch(() => {});
  }

  /** Whether it is too late for any answer. The clock here may be wrong: the server has the last word. */
  async hasEnded(): Promise<boolean> {
    if (Date.now() < Date.parse(this.interaction.endsAt)) return false;
    return this.working().then(
      () => false,
      () => true,
    );
  }

  private async answer(body: Answer): Promise<RestAnswer<AnswerCall>> {
    const taken = await this.say(body);
    this.answered = true;
    return taken;
  }

  private say(body: Answer): Promise<RestAnswer<AnswerCall>> {
    return untilAnswered(() =>
      this.parley.rest('POST /api/interactions/:id/answers', { id: this.interaction.id, body }),
    );
  }

  private nextNonce(): string {
    return String(this.replies++);
  }
}

/** What a handler is found by: the name of the component or command that it began with, over any number of forms. */
export async function originOf(parley: Parley, interaction: Interaction): Promise<string> {
  let first: Pick<Interaction, 'componentId' | 'command' | 'parentId'> = interaction;
  while (first.parentId !== null) {
    const id = first.parentId;
    first = await untilAnswered(() => parley.rest('GET /api/interactions/:id', { id }));
  }
  return first.componentId ?? first.command?.name ?? '';
}
