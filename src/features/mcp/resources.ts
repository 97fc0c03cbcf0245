import { z } from 'zod';
import type { Call } from '../../contract/call.ts';
import { channelCalls } from '../../contract/channel.ts';
import { directCalls } from '../../contract/direct.ts';
import { AppError } from '../../contract/errors.ts';
import { messageCalls } from '../../contract/message-calls.ts';
import { hasScopes, scopesOfCall } from '../../contract/scopes.ts';
import { serverCalls } from '../../contract/server.ts';
import { threadCalls } from '../../contract/thread.ts';
import { fileCalls } from '../../contract/workspace-calls.ts';
import type { McpCaller } from './caller.ts';
import { channelUri, resourceAt } from './resource-uris.ts';

/** A resource as lists show it. */
export interface ShownResource {
  uri: string;
  name: string;
  title: string;
  description?: string;
  mimeType: string;
}

export interface ResourcePage {
  resources: ShownResource[];
  nextCursor?: string;
}

/** How many servers' channels a page has. */
const serversOfPage = 10;
const json = 'application/json';

const named = z.object({ id: z.string(), name: z.string() });
const channelsSchema = z.array(named.extend({ isMember: z.boolean(), description: z.string().nullish() }));
const person = z.object({ displayName: z.string() });
const conversationsSchema = z.array(
  z.object({
    id: z.string(),
    name: z.string().nullish(),
    otherUser: person.optional(),
    members: z.array(person).optional(),
  }),
);

const may = ({ actor }: McpCaller, call: Call): boolean => hasScopes(actor.scopes, scopesOfCall(call));

/**
 * The channels that the caller is in, of some servers at a time; the first page has direct messages too. What the scopes
 * of a token do not allow is left out.
 * @param cursor the last server of the page before
 * @throws AppError INVALID_CURSOR
 */
export async function listResources(caller: McpCaller, cursor: string | undefined): Promise<ResourcePage> {
  const direct = cursor === undefined && may(caller, directCalls.listDms) ? await conversations(caller) : [];
  if (!may(caller, serverCalls.listServers)) return { resources: direct };
  const servers = z.array(named).parse((await caller.call(serverCalls.listServers)).body);
  const before = cursor === undefined ? -1 : servers.findIndex(({ id }) => id === cursor);
  if (cursor !== undefined && before < 0) throw new AppError('INVALID_CURSOR');
  const page = servers.slice(before + 1, before + 1 + serversOfPage);
  const resources = [...direct];
  for (const server of page) resources.push(...(await channelsOf(caller, server)));
  const last = page.at(-1)?.id;
  const hasMore = before + 1 + page.length < servers.length;
  return { resources, ...(hasMore && last !== undefined ? { nextCursor: last } : {}) };
}

async function channelsOf(caller: McpCaller, server: z.output<typeof named>): Promise<ShownResource[]> {
  const { body } = await caller.call(channelCalls.listChannels, { params: { serverId: server.id } });
  const entered = channelsSchema.parse(body).filter(({ isMember }) => isMember);
  return entered.map(({ id, name, description }) => ({
    ...{ uri: channelUri(id), name, title: `#${name} in ${server.name}`, mimeType: json },
    ...(description ? { description } : {}),
  }));
}

async function conversations(caller: McpCaller): Promise<ShownResource[]> {
  const { body } = await caller.call(directCalls.listDms);
  return conversationsSchema.parse(body).map(({ id, name, otherUser, members = [] }) => {
    const people = otherUser ? [otherUser] : members;
    const title = `Direct messages with ${people.map(({ displayName }) => displayName).join(', ')}`;
    return { uri: channelUri(id), name: name || title, title, mimeType: json };
  });
}

/** What a resource holds, as text. */
export interface ResourceText {
  uri: string;
  mimeType: string;
  text: string;
}

const fileSchema = z.object({ content: z.string().nullable(), mime: z.string().nullish() });

/**
 * Reads a resource by the call that has it.
 * @throws AppError as that call; undefined: the address is none of ours
 */
export async function readResource(caller: McpCaller, uri: string): Promise<ResourceText | undefined> {
  const address = resourceAt(uri);
  if (!address) return undefined;
  const { body } = await caller.call(...callOf(address));
  const file = address.kind === 'files' ? fileSchema.parse(body) : undefined;
  if (file && file.content !== null) return { uri, mimeType: file.mime ?? 'text/plain', text: file.content };
  return { uri, mimeType: json, text: JSON.stringify(body) };
}

function callOf(address: NonNullable<ReturnType<typeof resourceAt>>): Parameters<McpCaller['call']> {
  const { id } = address;
  const fields = { limit: 50 };
  if (address.kind === 'files') return [fileCalls.getFile, { params: { serverId: address.serverId, fileId: id } }];
  if (address.kind === 'channels') return [messageCalls.listMessages, { params: { channelId: id }, fields }];
  if (address.kind === 'threads') return [threadCalls.listThreadMessages, { params: { id }, fields }];
  return [messageCalls.getMessage, { params: { id } }];
}
