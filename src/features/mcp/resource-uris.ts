/** The addresses of resources (contract §8). */

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const simple = new RegExp(`^parley://(channels|threads|messages)/(${uuid})$`, 'i');
const ofFile = new RegExp(`^parley://servers/(${uuid})/files/(${uuid})$`, 'i');

/** What an address leads to. */
export type ResourceAddress =
  | { kind: 'channels' | 'threads' | 'messages'; id: string }
  | { kind: 'files'; serverId: string; id: string };

export const channelUri = (id: string): string => `parley://channels/${id}`;

/** @returns undefined: it is none of ours */
export function resourceAt(uri: string): ResourceAddress | undefined {
  const [, kind, id] = simple.exec(uri.toLowerCase()) ?? [];
  if (id && (kind === 'channels' || kind === 'threads' || kind === 'messages')) return { kind, id };
  const [, serverId, fileId] = ofFile.exec(uri.toLowerCase()) ?? [];
  return serverId && fileId ? { kind: 'files', serverId, id: fileId } : undefined;
}

/** The shapes of all addresses, for clients that fill them in. */
export const resourceTemplates = [
  {
    uriTemplate: 'parley://channels/{channelId}',
    name: 'channel',
    title: 'Channel',
    description: 'The newest 50 messages of a channel or of direct messages.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'parley://threads/{threadId}',
    name: 'thread',
    title: 'Thread',
    description: 'The newest 50 messages of a thread.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'parley://messages/{messageId}',
    name: 'message',
    title: 'Message',
    description: 'A message.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'parley://servers/{serverId}/files/{fileId}',
    name: 'file',
    title: 'File',
    description: "A file of a server's workspace; of a text file its text.",
  },
];
