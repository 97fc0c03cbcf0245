import { invalid } from '../../../contract/schema/validation.ts';
import { isUuid } from '../../../contract/schema.ts';
import type { HookFormat } from './format.ts';
import { isJson, restOf, shownIn, textIn } from './json.ts';
import { lines } from './marks.ts';
import { decorations, senderLine } from './sender.ts';

const known = new Set(['content', 'threadId', 'replyToId', 'metadata', 'nonce', 'username', 'avatarUrl']);
/** Fields that no other format has. */
const own = ['threadId', 'replyToId', 'metadata', 'nonce'];

/** Our own form: the fields of a message. */
export const parley: HookFormat = {
  name: 'parley',
  recognises: ({ body }) => 'content' in body && own.some((name) => name in body),
  deliveryIds: ['idempotency-key', 'webhook-id'],
  read({ body }) {
    const { content, threadId, replyToId, nonce, metadata = null, username } = body;
    for (const [path, id] of Object.entries({ threadId, replyToId })) {
      if (id != null && !isUuid(textIn(id)))
        throw invalid([{ path, message: 'must be a UUID', code: 'invalid_format' }]);
    }
    if (metadata !== null && !isJson(metadata)) {
      throw invalid([{ path: 'metadata', message: 'must be an object', code: 'invalid_type' }]);
    }
    const decorated = decorations(body, ['avatarUrl']).metadata ?? {};
    return {
      text: lines(senderLine(username), shownIn(content), restOf(body, known)),
      ...(threadId ? { threadId: textIn(threadId).toLowerCase() } : {}),
      ...(replyToId ? { replyToId: textIn(replyToId).toLowerCase() } : {}),
      ...(metadata || Object.keys(decorated).length > 0 ? { metadata: { ...metadata, ...decorated } } : {}),
      ...(textIn(nonce) ? { nonce: textIn(nonce) } : {}),
    };
  },
};
