import type { Channel } from '../channel.ts';
import type { Message } from '../index.ts';
import type { InteractionReply, InteractionTurn } from './interactions.ts';
import {
  type CommandSpec,
  type Declared,
  declaredOf,
  fits,
  type OptionsOf,
  type OptionValues,
  typedValues,
  usageOf,
} from './options.ts';
import type { MessageTurn } from './turn.ts';

/** A command as someone gave it: typed as a message, or by the form that clients offer. */
export interface CommandCall<O = OptionValues> {
  name: string;
  options: O;
  /** What follows the name, where it was typed. */
  text: string;
  user: Message['author'];
  channel: Channel;
  reply(answer: string | InteractionReply): Promise<Message>;
  /** What brought it, with more ways to answer. */
  turn: MessageTurn | InteractionTurn;
}

interface Known {
  declared: Declared;
  begin(call: CommandCall): unknown;
  /** The values in what was typed; undefined: that does not count. */
  typed(text: string, message: Message): OptionValues | undefined;
}

/** As the server reads it (contract §4): `/name`, or `/name@bot` where several bots know the same. */
const typed = /^\/([\p{L}\p{N}_-]{1,32})(?:@([^\s@]{1,64}))?(?=\s|$)/u;

/** The commands that a bot knows. */
export class Commands {
  private readonly known: Known[] = [];

  add<S extends CommandSpec>(name: string, spec: S, handler: (call: CommandCall<OptionsOf<S>>) => unknown): void {
    const usage = usageOf(name, spec);
    const isTyped = spec.options === undefined || spec.typed === true;
    this.known.push({
      declared: declaredOf(name, spec),
      begin: (call) => {
        const { options } = call;
        // The server has checked what was invoked; who types may forget something.
        return fits(options, spec) ? handler({ ...call, options }) : call.reply(usage);
      },
      typed: (text, message) => (isTyped ? typedValues(text, message, spec) : undefined),
    });
  }

  get declared(): Declared[] {
    return this.known.map(({ declared }) => declared);
  }

  /** What is to be done about a message; undefined: it is no command of this bot. */
  inMessage(turn: MessageTurn, username: string): (() => unknown) | undefined {
    const { message, channel } = turn;
    const [whole = '', name = '', bot] = typed.exec(message.content) ?? [];
    if (bot !== undefined && bot.toLowerCase() !== username.toLowerCase()) return undefined;
    const known = this.named(name);
    const text = message.content.slice(whole.length).trim();
    const options = known?.typed(text, message);
    if (!known || !options) return undefined;
    const reply = (answer: string | InteractionReply) => turn.reply(answer);
    return () => known.begin({ name, options, text, user: message.author, channel, reply, turn });
  }

  /** What is to be done about a command that a client sent; undefined: it is none of this bot. */
  invoked(turn: InteractionTurn): (() => unknown) | undefined {
    const { user, channel, values } = turn;
    const name = turn.interaction.command?.name ?? '';
    const given = Object.entries(values).flatMap(([key, value]): [string, string | number][] =>
      typeof value === 'string' || typeof value === 'number' ? [[key, value]] : [],
    );
    const options: OptionValues = Object.fromEntries(given);
    const known = this.named(name);
    const reply = (answer: string | InteractionReply) => turn.reply(answer);
    return known && (() => known.begin({ name, options, text: '', user, channel, reply, turn }));
  }

  private named(name: string): Known | undefined {
    const asked = name.toLowerCase();
    const names = ({ declared }: Known) => [declared.name, ...(declared.aliases ?? [])];
    return this.known.find((one) => names(one).some((each) => each.toLowerCase() === asked));
  }
}
