const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function without(record: Record<string, unknown>): Record<string, unknown> {
  const { inviteCode: _, ...rest } = record;
  // The notification of an invitation has the code as its text.
  if (rest.kind === 'server.invite') return { ...rest, body: '' };
  return isRecord(rest.server) && 'inviteCode' in rest.server ? { ...rest, server: without(rest.server) } : rest;
}

/**
 * A response without the invite codes of servers, be it one, a list, or something with a server in it: personal access
 * tokens read none (contract §3).
 */
export function withoutInviteCodes(body: unknown): unknown {
  if (Array.isArray(body)) return body.map((item) => (isRecord(item) ? without(item) : item));
  return isRecord(body) ? without(body) : body;
}
