import type { Actor } from '../../contract/actor.ts';
import type { Database } from '../../database/database.ts';
import type { Log } from '../../infrastructure/log.ts';
import { saveUptime, validTokens } from './agent.table.ts';

const pollMs = 1000;
/** How often the uptime of a connected bot is saved. */
const saveMs = 30_000;

/** A connection and its current actor: it may switch to another token. */
interface Connection {
  readonly actor: Actor;
}

/**
 * The bots connected to this node: keeps track of their uptime, and closes the sockets of those whose token has expired or
 * who were stopped while this node was unreachable. One query a second, none without bots.
 */
export class AgentWatch {
  private readonly database: Database;
  private readonly heartbeatSeconds: number;
  private readonly log: Log;
  private readonly endAt: (tokenId: string, endsAt: number) => void;
  private readonly connected = new Set<Connection>();
  /** Bots that connected or left since the last save. */
  private moved = new Set<string>();
  private lastSave = performance.now();
  private polling = false;
  private readonly timer: NodeJS.Timeout;

  /** @param endAt ends this node's sockets of a token at a time (ms since 1970), possibly in the past */
  constructor(
    database: Database,
    heartbeatSeconds: number,
    log: Log,
    endAt: (tokenId: string, endsAt: number) => void,
  ) {
    this.database = database;
    this.heartbeatSeconds = heartbeatSeconds;
    this.log = log;
    this.endAt = endAt;
    this.timer = setInterval(() => void this.poll(), pollMs);
  }

  /** A bot has connected. @returns to be called when it disconnects */
  came(agentId: string, connection: Connection): () => void {
    this.connected.add(connection);
    this.moved.add(agentId);
    return () => {
      this.connected.delete(connection);
      this.moved.add(agentId);
    };
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async poll(): Promise<void> {
    if (this.polling) return;
    this.polling = true;
    try {
      await this.endInvalid();
      await this.saveUptime();
    } catch (error) {
      this.log.debug({ err: error }, 'Bots could not be looked up; trying again.');
    } finally {
      this.polling = false;
    }
  }

  private async endInvalid(): Promise<void> {
    const tokenIds = new Set<string>();
    for (const { actor } of this.connected) if (actor.agent?.tokenId) tokenIds.add(actor.agent.tokenId);
    if (tokenIds.size === 0) return;
    const ends = await validTokens(this.database.rows, [...tokenIds]);
    for (const tokenId of tokenIds) this.endAt(tokenId, ends.get(tokenId) ?? 0);
  }

  private async saveUptime(): Promise<void> {
    const all = performance.now() - this.lastSave >= saveMs;
    if (!all && this.moved.size === 0) return;
    const agentIds = new Set(this.moved);
    if (all) for (const { actor } of this.connected) if (actor.agent) agentIds.add(actor.agent.id);
    this.moved = new Set();
    if (all) this.lastSave = performance.now();
    if (agentIds.size > 0) await saveUptime(this.database.rows, [...agentIds], this.heartbeatSeconds);
  }
}
