import type { ChannelInfo } from '../../access/channel.access.ts';
import type { Caches } from '../../cluster/caches.ts';
import type { SlashCommand } from '../../contract/agent.ts';
import { usernameKeys } from '../../contract/username.ts';
import type { Database } from '../../database/database.ts';
import type { Cache } from '../../infrastructure/cache.ts';
import { type CommandedBot, commandedBots } from './bots.table.ts';
import { type Asking, mayUse, rulesOf } from './command-rules.table.ts';

const commandCache = 'channel-commands';
/** `/name`, or `/name@bot` where several bots know the same. */
const command = /^\/([\p{L}\p{N}_-]{1,32})(?:@([^\s@]{1,64}))?(?=\s|$)/u;

type Known = Pick<SlashCommand, 'name' | 'aliases'>;

interface Commands {
  bots: (Omit<CommandedBot, 'commands'> & { commands: Known[] })[];
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

  /**
   * The users of the bots that a text names by a command of theirs, which its author may use there. Most texts are none, and
   * cost nothing.
   */
  async named({ id, serverId }: Pick<ChannelInfo, 'id' | 'serverId'>, author: Asking, text: string): Promise<string[]> {
    const [, name, bot] = (text.startsWith('/') && command.exec(text)) || [];
    if (!name) return [];
    const { bots } = await this.of(id);
    const meant = bots.flatMap(({ agentId, userId, username, commands }) => {
      const known = commands.find((one) => knows(one, name));
      const isMeant = known && (bot === undefined || usernameKeys(bot).includes(username));
      return isMeant ? { agentId, userId, command: known.name } : [];
    });
    const asked = meant.map(({ agentId }) => agentId);
    const rules = await rulesOf(this.database.rows, serverId, asked);
    return meant.filter(({ agentId, command }) => mayUse(rules, author, agentId, command)).map(({ userId }) => userId);
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
      bots: (await commandedBots(this.database.committedRows, channelId)).map((bot) => ({
        ...bot,
        // Their options would take memory.
        commands: bot.commands.map(({ name, aliases }) => ({ name, aliases })),
      })),
    }));
    return found ?? { bots: [] };
  }
}

/** Whether a command is meant by a name, in any case. */
export function knows({ name, aliases }: Known, given: string): boolean {
  const asked = given.toLowerCase();
  return [name, ...aliases].some((known) => known.toLowerCase() === asked);
}
