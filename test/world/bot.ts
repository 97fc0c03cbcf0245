import { randomBytes } from 'node:crypto';
import type { Node } from '../../src/node/node.ts';
import { type Listener, type Loose, Person } from './person.ts';

/** A bot: someone with an agent behind it, and an owner. */
export class Bot extends Person {
  readonly agentId: string;

  constructor(
    node: Node,
    account: { id: string; username: string; token: string; agentId: string },
    listeners: Listener[] = [],
  ) {
    super(node, { ...account, refreshToken: '' }, listeners);
    this.agentId = account.agentId;
  }

  override on(node: Node): Bot {
    return new Bot(node, this, this.listeners);
  }
}

/** A new bot of `owner`, on the owner's node. */
export async function bot(owner: Person, more: Record<string, unknown> = {}): Promise<Bot> {
  const name = `bot-${randomBytes(6).toString('hex')}`;
  const { status, body }: { status: number; body: Loose } = await owner.post('/api/agents', { name, ...more });
  if (status !== 201) throw new Error(`cannot make a bot: ${JSON.stringify(body)}`);
  return new Bot(owner.node, { id: body.userId, username: body.name, token: body.token, agentId: body.id });
}

/** A new bot of `owner` that is in a server, and in its channel `general`. */
export async function botIn(server: { id: string }, owner: Person): Promise<Bot> {
  const made = await bot(owner);
  const { body }: { body: Loose } = await owner.post(`/api/servers/${server.id}/agents`, { agentIds: [made.agentId] });
  if (body.added?.[0] !== made.agentId) throw new Error(`not added: ${JSON.stringify(body)}`);
  return made;
}
