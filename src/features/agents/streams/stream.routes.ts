import type { z } from 'zod';
import type { Actor } from '../../../contract/actor.ts';
import { invalid } from '../../../contract/schema/validation.ts';
import { done } from '../../../contract/schema.ts';
import { streamCalls } from '../../../contract/stream.ts';
import { type RawRequest, type Route, serve } from '../../../rest/route.ts';
import type { StreamEnds } from './stream.ends.ts';
import type { StreamList } from './stream.list.ts';
import { type MouthParts, StreamMouth } from './stream.mouth.ts';
import { sayBody } from './stream.text.ts';

type Query = z.output<typeof streamCalls.streamReply.query>;

export function streamRoutes(mouthParts: MouthParts, list: StreamList, ends: StreamEnds): Route[] {
  return serve(streamCalls, {
    async streamReply({ actor, params: { channelId }, query, body, raw }) {
      if (!body) return streamText(mouthParts, actor, channelId, query, raw());
      const { length, message } = await mouthParts.streams.push(actor, { ...body, channelId }, null);
      return { streamId: body.streamId, length, ...(message ? { message } : {}) };
    },
    listStreams: ({ actor, params }) => list.of(actor, params.channelId),
    async stopStream({ actor, params, body }) {
      await ends.stop(actor, params.channelId, body);
      return done;
    },
  });
}

/** The body is the reply. */
async function streamText(parts: MouthParts, actor: Actor, channelId: string, query: Query, { body }: RawRequest) {
  const { streamId, offset = 0, replyToId = null, threadId = null } = query;
  if (!streamId) throw invalid([{ path: 'streamId', message: 'is missing', code: 'invalid_type' }]);
  const mouth = new StreamMouth(parts, actor, { channelId, streamId, replyToId, threadId, offset }, false);
  try {
    await sayBody(mouth, body);
    const { length, message } = await mouth.finish();
    return { streamId, length, ...(message ? { message } : {}) };
  } finally {
    mouth.close();
  }
}
