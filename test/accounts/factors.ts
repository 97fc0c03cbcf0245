import { Secret, TOTP } from 'otpauth';
import type { Node } from '../../src/node/node.ts';
import type { Cluster } from '../world/nodes.ts';
import { type Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';

/** A code of an authenticator app. @param steps from now, each of 30 s */
export function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
}

export const password = 'correct horse';

/** A new account whose address is proven. */
export async function proven(cluster: Cluster, node: Node): Promise<Person & { email: string }> {
  const person = await register(node, { password });
  await query(cluster.databaseUrl, 'UPDATE users SET email_verified_at = now() WHERE id = $1', [person.id]);
  return Object.assign(person, { email: `${person.username}@example.com` });
}

/** Gives someone an authenticator app. Its codes of this moment are all unused. */
export async function withApp(cluster: Cluster, person: Person): Promise<{ secret: string; codes: string[] }> {
  const { secret } = (await person.post('/api/auth/totp')).body;
  const { status, body } = await person.post('/api/auth/totp/complete', { totp: codeOf(secret) });
  if (status !== 200) throw new Error(`no app: ${JSON.stringify(body)}`);
  await forgetCodes(cluster, person);
  return { secret, codes: body.recoveryCodes };
}

/** Lets codes that were taken be taken again: a test cannot wait for the next ones. */
export async function forgetCodes(cluster: Cluster, { id }: Pick<Person, 'id'>): Promise<void> {
  await query(cluster.databaseUrl, 'UPDATE totp_factors SET last_step = NULL WHERE user_id = $1', [id]);
}

export const login = (node: Node, email: string) => request(node, 'POST', '/api/auth/login', { email, password });
export const complete = (node: Node, ticket: string, proof: object) =>
  request(node, 'POST', '/api/auth/second-factor/sign-in', { ticket, ...proof });
