import { createHmac } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { sessionDays } from '../../contract/mcp.ts';
import { isUuid } from '../../contract/schema.ts';
import { clock } from '../../infrastructure/clock.ts';
import { equalInConstantTime } from '../../infrastructure/constant-time.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { JwtSecret } from '../../settings/jwt-secrets.ts';

const lastingMs = sessionDays * 24 * 60 * 60 * 1000;

/**
 * Ids of sessions: each says when it began, and by its signature whose it is. So any node knows a session that another one
 * opened, and nothing is kept of those that subscribe to nothing (contract §8).
 */
export class McpSessions {
  private readonly secrets: JwtSecret[];

  /** @param secrets the first one signs, all of them verify */
  constructor(secrets: JwtSecret[]) {
    this.secrets = secrets;
  }

  /** @returns the id for the header, of letters that headers may have */
  open(userId: string): string {
    const [first] = this.secrets;
    if (!first) throw new Error('There is no secret to sign with.');
    const id = newId();
    return `${id}.${mac(first.secret, id, userId)}`;
  }

  /**
   * The session that a header names.
   * @returns null: it names none
   * @throws AppError MCP_SESSION_NOT_FOUND when it is over, or not this user's
   */
  find(header: string | undefined, userId: string): string | null {
    if (header === undefined) return null;
    const [id = '', signature = ''] = header.split('.');
    const isOurs =
      isUuid(id) && this.secrets.some(({ secret }) => equalInConstantTime(mac(secret, id, userId), signature));
    if (!isOurs || begunAt(id) + lastingMs < clock.now()) throw new AppError('MCP_SESSION_NOT_FOUND');
    return id;
  }
}

/** The time in an id, in ms since 1970. */
const begunAt = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** The signature covers the purpose, so that nothing else signed with the same secret is accepted. */
function mac(secret: string, id: string, userId: string): string {
  return createHmac('sha256', secret).update(`parley-mcp-session\n${id}\n${userId}`).digest('base64url');
}
