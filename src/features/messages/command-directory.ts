import type { Caches } from '../../cluster/caches.ts';
import type { SlashCommand } from '../../contract/agent.ts';
import { usernameKeys } from '../../contract/username.ts';
import type { Database } from '../../database/database.ts';
import type { Cache } from '../../infrastructure/cache.ts';
import { type CommandedBot, commandedBots } from './bots.table.ts';

const commandCache = 'channel-commands';
/** `/name`, or `/name@bot` where several bots know the same. */
const command = /^\/([\p{L}\p{N}_-]{1,32})(?:@([^\s@]{1,64}))?(?=\s|$)/u;

interface Commands {
  bots: CommandedBot[];
}

/** Which bots of a channel a slash command is for (contract §4). Cached, since sending one looks here. */
export class CommandDirectory {
  private readonly database: Database;
  private readonly caches: Caches;
  private readonly channels: Cache<Commands>;

  constructor(database: Database, caches: Caches) {
    this.database = database;
    this.caches = caches;
    this.channels = caches.create(commandCache, 20_000, { clearedWith: ['channel-members'] });
  }

  /** The users of the bots that a text names by a command of theirs. Most texts are none, and cost nothing. */
  async named(channelId: string, text: string): Promise<string[]> {
    const [, name, bot] = (text.startsWith('/') && command.exec(text)) || [];
    if (!name) return [];
    const { bots } = await this.of(channelId);
    const meant = bots.filter(({ username }) => bot === undefined || usernameKeys(bot).includes(username));
    return meant.filter(({ commands }) => commands.some((known) => knows(known, name))).map(({ userId }) => userId);
  }

  /** Whether a bot has declared commands, which reach it in a channel that it may not listen in otherwise. */
  async hasAny(channelId: string, botUserId: string): Promise<boolean> {
    const { bots } = await this.of(channelId);
    return bots.some(({ userId, commands }) => userId === botUserId && commands.length > 0);
  }

  /** Makes all nodes reread the commands of these channels. */
  forget(channelIds: string[]): Promise<void> {
    return this.caches.forget(commandCache, channelIds);
  }

  private async of(channelId: string): Promise<Commands> {
    const found = await this.channels.get(channelId, async () => ({
      bots: await commandedBots(this.database.committedRows, channelId),
    }));
    return found ?? { bots: [] };
  }
}

function knows({ name, aliases }: SlashCommand, given: string): boolean {
  const asked = given.toLowerCase();
  return [name, ...aliases].some((known) => known.toLowerCase() === asked);
}
