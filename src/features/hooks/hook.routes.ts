import { hookCalls } from '../../contract/hook.ts';
import { done } from '../../contract/schema.ts';
import { boundaryOf, readParts } from '../../rest/multipart.ts';
import { RawReply, type RawRequest, type Route, serve } from '../../rest/route.ts';
import type { KnownHook } from '../accounts/hook.table.ts';
import type { MessageRecord } from '../messages/message.view.ts';
import { bytesOf, formBytes, headersOf, isForm, objectIn, objectInForm, type TakeFile } from './hook.body.ts';
import type { HookPoster, Incoming, Posted } from './hook.poster.ts';
import type { HookService } from './hook.service.ts';

export function hookRoutes(hooks: HookService, poster: HookPoster): Route[] {
  const post = async (
    address: { token: string; format: string | null },
    query: { wait?: string | undefined; thread_id?: string | undefined },
    raw: RawRequest,
  ) => answerOf(await poster.post(incoming(address, query.thread_id ?? null, raw)), query.wait === 'true');
  type Own = { token: string; messageId: string; format?: string };
  const about = ({ token, format = null }: { token: string; format?: string | null }, raw: RawRequest) =>
    incoming({ token, format }, null, raw);
  const get = async (params: Own, raw: RawRequest) => {
    const { hook, message } = await poster.get(about(params, raw), params.messageId);
    return asDiscord(hook, message);
  };
  const edit = async (params: Own, raw: RawRequest) =>
    answerOf(await poster.edit(about(params, raw), params.messageId), true);
  const remove = async (params: Own, raw: RawRequest) => {
    await poster.delete(about(params, raw), params.messageId);
    return new RawReply(204, {});
  };
  return serve(hookCalls, {
    listHooks: ({ actor, params }) => hooks.list(actor, params.id),
    createHook: ({ actor, params, body }) => hooks.create(actor, params.id, body),
    updateHook: ({ actor, params, body }) => hooks.update(actor, { channelId: params.id, hookId: params.hookId }, body),
    renewHook: ({ actor, params }) => hooks.renew(actor, { channelId: params.id, hookId: params.hookId }),
    async deleteHook({ actor, params }) {
      await hooks.delete(actor, { channelId: params.id, hookId: params.hookId });
      return done;
    },
    async getHookByToken({ params: { token } }) {
      const { hook, serverId } = await poster.find(token);
      const place = { channel_id: hook.channelId, guild_id: serverId, application_id: null };
      return { id: hook.id, type: 1 as const, name: hook.user.displayName, avatar: null, ...place, token };
    },
    postToHook: ({ params, query, raw }) => post({ token: params.token, format: null }, query, raw()),
    postToHookAs: ({ params, query, raw }) => post({ token: params.token, format: params.format }, query, raw()),
    getHookMessage: ({ params, raw }) => get(params, raw()),
    getHookMessageAs: ({ params, raw }) => get(params, raw()),
    editHookMessage: ({ params, raw }) => edit(params, raw()),
    editHookMessageAs: ({ params, raw }) => edit(params, raw()),
    deleteHookMessage: ({ params, raw }) => remove(params, raw()),
    deleteHookMessageAs: ({ params, raw }) => remove(params, raw()),
  });
}

function incoming(
  { token, format }: { token: string; format: string | null },
  threadId: string | null,
  raw: RawRequest,
): Incoming {
  const headers = headersOf(raw);
  const type = headers['content-type'] ?? '';
  const parts = (bytes: AsyncIterator<Buffer>, take: TakeFile) =>
    objectInForm(readParts(bytes, boundaryOf(type)), take);
  return {
    ...{ token, format, threadId, headers },
    bytes: () => bytesOf(raw),
    object: async (bytes, take) => (isForm(type) ? parts(whole(bytes), take) : objectIn(bytes, type)),
    form: isForm(type) ? (take) => parts(formBytes(raw), take) : null,
  };
}

/** As each sender expects it: some take anything else for a failure, and send it again. */
function answerOf({ hook, format, messages, isHeld }: Posted, waits: boolean) {
  if (format === 'slack') return new RawReply(200, { 'Content-Type': 'text/plain; charset=utf-8' }, 'ok');
  const [first] = messages;
  if (format === 'discord' && !(waits && first)) return new RawReply(204, {});
  if (format !== 'discord' || !first) return { ...done, isHeld, messages };
  return asDiscord(hook, first);
}

/** A message as Discord has it. */
function asDiscord(hook: KnownHook, message: MessageRecord) {
  const { id, content, channelId, createdAt, updatedAt, isEdited } = message;
  const { displayName: username } = hook.user;
  const attachments = message.attachments.map(({ id: fileId, filename, contentType, size, url }) => {
    return { id: fileId, filename, content_type: contentType, size, url };
  });
  return {
    ...{ id, type: 0 as const, content, channel_id: channelId, webhook_id: hook.id },
    author: { id: hook.user.id, username, avatar: null, bot: true as const },
    ...{ timestamp: createdAt, edited_timestamp: isEdited ? updatedAt : null },
    ...{ attachments, embeds: [], mentions: [], mention_roles: [] },
    ...{
      mention_everyone: false as const,
      pinned: false as const,
      tts: false as const,
      components: [],
      flags: 0 as const,
    },
  };
}

async function* whole(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
