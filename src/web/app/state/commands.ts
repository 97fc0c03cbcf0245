import type { RestAnswer, RestInput } from '../../../client/index.ts';
import type { Use } from './interactions.ts';
import type { Core } from './session.ts';

export type SlashCommand = RestAnswer<'GET /api/channels/:id/slash-commands'>['commands'][number];
export type CommandOption = NonNullable<SlashCommand['options']>[number];
type Values = NonNullable<RestInput<'POST /api/channels/:id/commands'>['body']['options']>;

/** Where a command is used. */
export interface CommandPlace {
  channelId: string;
  threadId: string | null;
}

/** What someone has filled in. */
interface FilledIn {
  fields: { text(name: string): string };
  files: ReadonlyMap<string, File>;
  /** The same for each attempt. */
  nonce: string;
}

/** How many people or channels are offered. */
const most = 8;
/** A command's name at the beginning of a text, and what follows it. */
const written = /^\/([\p{L}\p{N}_-]{1,32})(?:\s+([\s\S]*))?$/u;

/** The commands of bots, by channel. */
export class SlashCommands {
  private readonly core: Core;
  private readonly asked = new Map<string, Promise<SlashCommand[]>>();
  private readonly known = new Map<string, readonly SlashCommand[]>();
  private readonly followed = new Set<string>();

  constructor(core: Core) {
    this.core = core;
  }

  of(channelId: string): Promise<SlashCommand[]> {
    const asked = this.asked.get(channelId);
    if (asked) return asked;
    const forget = () => {
      this.asked.delete(channelId);
      this.known.delete(channelId);
    };
    const answer = this.core.client.rest('GET /api/channels/:id/slash-commands', { id: channelId }).then(
      ({ commands }) => {
        this.known.set(channelId, commands);
        return commands;
      },
      () => {
        // They are optional, and can be requested again.
        forget();
        return [];
      },
    );
    this.asked.set(channelId, answer);
    this.follow(channelId, forget);
    return answer;
  }

  /** The command to be invoked that a text says, as far as the commands of the channel are known. */
  writtenIn(channelId: string, text: string): { command: SlashCommand; rest: string } | null {
    const [, name, rest = ''] = written.exec(text) ?? [];
    const meant = (this.known.get(channelId) ?? []).filter((one) => name !== undefined && isCalled(one, name));
    const [command] = meant;
    // Several bots may know it: then it is for whoever listens.
    return command?.options && meant.length === 1 ? { command, rest: rest.trim() } : null;
  }

  /** What a bot of a channel is called, as far as its commands are known. */
  botNameIn(channelId: string, agentId: string): string | null {
    const found = this.known.get(channelId)?.find((command) => command.agentId === agentId);
    return found?.botUser.displayName ?? null;
  }

  /** To invoke a command once, however often that is tried. Browsers offer `crypto.randomUUID` on secure pages only. */
  newNonce(): string {
    return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
  }

  /** Uploads the files, and invokes a command with what was filled in. @throws ParleyError */
  async invoke(place: CommandPlace, command: SlashCommand, { fields, files, nonce }: FilledIn): Promise<Use> {
    const values: Values = {};
    for (const option of command.options ?? []) {
      const file = files.get(option.name);
      const value = file ? await this.upload(file) : valueFor(option, fields.text(option.name));
      if (value !== null) values[option.name] = value;
    }
    const { channelId: id, threadId } = place;
    const body = { agentId: command.agentId, command: command.name, options: values, threadId, nonce };
    return this.core.client.rest('POST /api/channels/:id/commands', { id, body });
  }

  /** What the bot suggests for an option. @throws ParleyError */
  async complete({ channelId: id, threadId }: CommandPlace, command: SlashCommand, option: string, typed: string) {
    const body = { agentId: command.agentId, command: command.name, option, typed, threadId };
    return (await this.core.client.rest('POST /api/channels/:id/commands/complete', { id, body })).choices;
  }

  /** People or channels by the beginning of their names. @throws ParleyError */
  async named({ channelId }: CommandPlace, trigger: '@' | '#', typed: string) {
    const query = { channelId, trigger, q: typed.replace(/^[@#]/, ''), limit: most };
    const { suggestions } = await this.core.client.rest('GET /api/mentions/suggest', { query });
    const kind = trigger === '@' ? 'user' : 'channel';
    const fitting = suggestions.filter((one) => one.kind === kind);
    return fitting.map(({ targetId, label, token }) => ({ value: targetId, label: `${label} · ${token}` }));
  }

  private async upload(file: File): Promise<string> {
    const form = new FormData();
    form.set('file', file, file.name);
    return (await this.core.client.rest('POST /api/media/upload', { form })).id;
  }

  private follow(channelId: string, forget: () => void): void {
    if (this.followed.has(channelId)) return;
    this.followed.add(channelId);
    const channel = this.core.client.channel(channelId);
    for (const event of ['channel:slash-commands-updated', 'member:joined', 'member:left', 'reload'] as const) {
      channel.listen(event, forget);
    }
  }
}

function isCalled({ name, aliases }: SlashCommand, given: string): boolean {
  const asked = given.toLowerCase();
  return [name, ...aliases].some((one) => one.toLowerCase() === asked);
}

/** The server says what is wrong with a number that is none. */
function valueFor({ type }: CommandOption, text: string): string | number | null {
  if (text === '') return null;
  const number = Number(text.replace(',', '.'));
  return type === 'number' && Number.isFinite(number) ? number : text;
}
