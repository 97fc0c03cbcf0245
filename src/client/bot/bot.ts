import type { OwnEvents } from '../events.ts';
import type { Message } from '../index.ts';
import { Lane } from '../lane.ts';
import { Parley, type ParleyOptions } from '../parley.ts';
import { type KeyValueStore, MemoryStore } from '../store.ts';
import { type CommandCall, Commands } from './commands.ts';
import { type Interaction, InteractionTurn, originOf } from './interactions.ts';
import type { CommandSpec, OptionsOf } from './options.ts';
import { untilAnswered } from './patience.ts';
import { Places } from './places.ts';
import type { Progress } from './progress.ts';
import { MessageTurn } from './turn.ts';

export interface BotOptions extends Pick<ParleyOptions, 'url'> {
  token: string;
  /** Keeps where the bot is in each log; with one that outlives the program, a bot misses nothing while it is stopped. */
  store?: KeyValueStore;
  /** How much is dealt with at once. */
  atOnce?: number;
}

/** What a bot can listen to. */
export interface BotEvents {
  /** Each message of a person that is no command of the bot. */
  message: MessageTurn;
  /** Those that name the bot, and direct ones. */
  mention: MessageTurn;
  /** The bot was away for longer than a log reaches back, in this channel, or (null) in its own. */
  missed: { channelId: string | null };
  /**
   * What a handler threw; without a listener it is thrown again, and ends the program. The event counts as dealt with: at each
   * start it would fail again.
   */
  error: unknown;
}

type Completion = OwnEvents['command:complete'];
type Suggestions = readonly { value: string; label: string }[];
type Completer = (asked: Completion) => Suggestions | Promise<Suggestions>;

type Handler<T> = (what: T) => unknown;
type Handlers = { [E in keyof BotEvents]: Handler<BotEvents[E]>[] };
type Component = 'button' | 'select' | 'form';

interface ComponentHandler {
  kind: Component;
  id: string | RegExp;
  handler: Handler<InteractionTurn>;
}

interface Me {
  id: string;
  username: string;
}

/**
 * A bot: its handlers get what is said and done in all its channels, each event at least once, also what happened while it was
 * away. Replies are made once all the same. Handlers are started in order, and may run at once.
 */
export class Bot {
  readonly parley: Parley;
  private readonly store: KeyValueStore;
  private readonly handlers: Handlers = { message: [], mention: [], missed: [], error: [] };
  private readonly commands = new Commands();
  private readonly components: ComponentHandler[] = [];
  private readonly lane: Lane;
  private readonly running = new Set<Promise<void>>();
  private readonly listening: (() => void)[] = [];
  private places: Places | undefined;

  constructor({ url, token, store = new MemoryStore(), atOnce = 16 }: BotOptions) {
    this.parley = new Parley({ url, token });
    this.store = store;
    this.lane = new Lane(atOnce);
  }

  on<E extends keyof BotEvents>(event: E, handler: Handler<BotEvents[E]>): this {
    this.handlers[event].push(handler);
    return this;
  }

  /** A command of the bot; all are declared when it starts. They reach it under any policy but `disabled`. */
  command<const S extends CommandSpec>(name: string, spec: S, handler: Handler<CommandCall<OptionsOf<S>>>): this {
    this.commands.add(name, spec, handler);
    return this;
  }

  /** Suggests values for an option of a command while someone types; they are shown if they come within three seconds. */
  complete(command: string, option: string, completer: Completer): this {
    this.parley.on('command:complete', (asked) => {
      if (asked.command !== command || asked.option !== option) return;
      Promise.resolve(asked)
        .then(completer)
        .then(
          (choices) => this.parley.suggest(asked.id, choices),
          (error: unknown) => this.failed(error),
        );
    });
    return this;
  }

  /** @param id of the button in its message, or what fits it */
  button(id: string | RegExp, handler: Handler<InteractionTurn>): this {
    return this.component('button', id, handler);
  }

  /** @param id of the select in its message, or what fits it; `chosen` has what was chosen */
  select(id: string | RegExp, handler: Handler<InteractionTurn>): this {
    return this.component('select', id, handler);
  }

  /** @param id of the form in its message, or of what was answered with a form; `values` has what was filled in */
  form(id: string | RegExp, handler: Handler<InteractionTurn>): this {
    return this.component('form', id, handler);
  }

  /** Waits for the server, follows all channels, and declares the commands. @throws ParleyError when the server refuses it */
  async start(): Promise<void> {
    const { parley } = this;
    const { id, username, agentId } = await untilAnswered(() => parley.rest('GET /api/auth/me'));
    if (agentId === undefined) throw new Error('This is not the token of a bot.');
    const me = { id, username };
    const places = new Places(parley, this.store, id, {
      message: (message, progress) => this.take(progress, message.seq, () => this.hear(me, message)),
      missed: (channelId) => this.tellMissed(channelId),
    });
    this.places = places;
    this.listening.push(
      parley.on('reload', () => this.tellMissed(null)),
      parley.on('signed-out', (error) => this.failed(error)),
      parley.on('interaction:created', (interaction) => this.takeInteraction(places.own, interaction)),
    );
    places.listen();
    parley.connect(places.own.position);
    await this.arrived();
    if (this.places !== places) return;
    await places.enter(agentId);
    await this.declare(agentId);
  }

  /** Takes nothing new, and waits for what is under way; what was not begun comes again at the next start. */
  async stop(): Promise<void> {
    this.places?.leave();
    this.places = undefined;
    for (const stop of this.listening.splice(0)) stop();
    await Promise.allSettled(this.running);
    this.parley.disconnect();
  }

  /** Last of all: what is invoked from then on comes. */
  private async declare(id: string): Promise<void> {
    const { declared: commands } = this.commands;
    if (commands.length === 0) return;
    await untilAnswered(() => this.parley.rest('PUT /api/agents/:id/slash-commands', { id, body: { commands } }));
  }

  /** Once the bot is connected, or stopped. */
  private arrived(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.parley.on('state', ({ status }) => {
        if (status === 'live') resolve();
      });
      this.listening.push(stop, resolve);
    });
  }

  private component(kind: Component, id: string | RegExp, handler: Handler<InteractionTurn>): this {
    this.components.push({ kind, id, handler });
    return this;
  }

  /** Another process of this bot may be there for interactions: one without handlers leaves them alone. */
  private takeInteraction(own: Progress, interaction: Interaction): void {
    if (this.components.length === 0 && this.commands.declared.length === 0) return;
    const seq = interaction.eventSeq ?? 0;
    own.begin(seq);
    this.take(own, seq, () => this.use(interaction));
  }

  private take(progress: Progress, seq: number, work: () => Promise<void>): void {
    const { places } = this;
    this.lane.add(async () => {
      // It was stopped meanwhile: this one is left for the next time.
      if (!places || this.places !== places) return;
      const done = work().then(
        () => progress.end(seq),
        (error: unknown) => {
          progress.end(seq);
          this.failed(error);
        },
      );
      this.running.add(done);
      await done;
      this.running.delete(done);
    });
  }

  private async hear(me: Me, message: Message): Promise<void> {
    if (message.author.isBot || message.isDeleted) return;
    const named = message.mentions.some(({ targetId }) => targetId === me.id);
    const turn = new MessageTurn(this.parley, message, named || message.dmChannelId !== undefined);
    const command = this.commands.inMessage(turn, me.username);
    if (command) {
      await command();
      return;
    }
    await this.tell('message', turn);
    if (turn.isForBot) await this.tell('mention', turn);
  }

  private async use(interaction: Interaction): Promise<void> {
    const turn = new InteractionTurn(this.parley, interaction);
    if (await turn.hasEnded()) return;
    try {
      if (interaction.kind === 'command') await this.commands.invoked(turn)?.();
      else await this.componentUsed(interaction.kind, turn);
    } finally {
      await turn.finish();
    }
  }

  private async componentUsed(kind: Component, turn: InteractionTurn): Promise<void> {
    const origin = await originOf(this.parley, turn.interaction);
    const fits = ({ id }: ComponentHandler) => (typeof id === 'string' ? id === origin : id.test(origin));
    await this.components.find((one) => one.kind === kind && fits(one))?.handler(turn);
  }

  private tellMissed(channelId: string | null): void {
    this.tell('missed', { channelId }).catch((error: unknown) => this.failed(error));
  }

  private async tell<E extends keyof BotEvents>(event: E, what: BotEvents[E]): Promise<void> {
    for (const handler of this.handlers[event]) await handler(what);
  }

  private failed(error: unknown): void {
    if (this.handlers.error.length > 0) for (const handler of this.handlers.error) handler(error);
    else {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
