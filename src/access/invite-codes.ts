/** Personal access tokens read no invite codes of servers (contract §3): responses and events leave them out. */

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function without(record: Record<string, unknown>): Record<string, unknown> {
  const { inviteCode: _, ...rest } = record;
  // The notification of an invitation has the code as its text.
  if (rest.kind === 'server.invite') return { ...rest, body: '' };
  return isRecord(rest.server) && 'inviteCode' in rest.server ? { ...rest, server: without(rest.server) } : rest;
}

/** A response without the invite codes of servers, be it a record, a list, or something with a server in it. */
export function withoutInviteCodes(body: unknown): unknown {
  if (Array.isArray(body)) return body.map((item) => (isRecord(item) ? without(item) : item));
  return isRecord(body) ? without(body) : body;
}

/** Within a text that is quoted in JSON the quotes would be escaped. */
const inviteCode = /,"inviteCode":"[\w-]*"/g;
const invitationBody = /"body":"[\w-]*"/;

/** The same for the payload of an event, which is JSON text; only those of people's own rooms have codes. */
export function payloadWithoutInviteCodes({ room, json }: { room: string; json: string }): string {
  if (!room.startsWith('user:')) return json;
  const visible = json.replace(inviteCode, '');
  return json.includes('"kind":"server.invite"') ? visible.replace(invitationBody, '"body":""') : visible;
}
