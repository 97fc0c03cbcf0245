import type { mediaUrlSchema, uploadAnswerSchema } from '../../contract/attachment.ts';
import type { logPageSchema, readLogSchema } from '../../contract/events.ts';
import type { suggestionsSchema, suggestQuerySchema } from '../../contract/mention.ts';
import type {
  editMessageSchema,
  listMessagesSchema,
  messagePageSchema,
  messageSchema,
  sendMessageSchema,
} from '../../contract/message.ts';
import type { reactionsAnswerSchema, reactSchema } from '../../contract/reaction.ts';
import type { searchMessagesSchema } from '../../contract/search.ts';
import type { listThreadsSchema, startThreadSchema, threadSchema, updateThreadSchema } from '../../contract/thread.ts';
import type { Answer, Body, Done, Query } from './shapes.ts';

/** Messages and everything attached to them. */
export interface MessageCalls {
  'POST /api/channels/:channelId/messages': {
    body: Body<typeof sendMessageSchema>;
    answer: Answer<typeof messageSchema>;
  };
  'GET /api/channels/:channelId/messages': {
    query: Query<typeof listMessagesSchema>;
    answer: Answer<typeof messagePageSchema>;
  };
  'GET /api/messages/:id': { answer: Answer<typeof messageSchema> };
  'PATCH /api/messages/:id': { body: Body<typeof editMessageSchema>; answer: Answer<typeof messageSchema> };
  'DELETE /api/messages/:id': { answer: Done };

  'GET /api/messages/:id/reactions': { answer: Answer<typeof reactionsAnswerSchema>['reactions'] };
  'POST /api/messages/:id/reactions': {
    body: Body<typeof reactSchema>;
    answer: Answer<typeof reactionsAnswerSchema>;
  };
  'DELETE /api/messages/:id/reactions/:emoji': { answer: Answer<typeof reactionsAnswerSchema> };
  'GET /api/channels/:channelId/pins': { answer: Answer<typeof messageSchema>[] };
  'PUT /api/channels/:channelId/pins/:messageId': { answer: Answer<typeof messageSchema> & Done };
  'DELETE /api/channels/:channelId/pins/:messageId': { answer: Answer<typeof messageSchema> & Done };
  'POST /api/messages/:id/thread': { body: Body<typeof startThreadSchema>; answer: Answer<typeof threadSchema> };
  'GET /api/channels/:channelId/threads': {
    query: Query<typeof listThreadsSchema>;
    answer: Answer<typeof threadSchema>[];
  };
  'GET /api/threads/:id': { answer: Answer<typeof threadSchema> };
  'GET /api/threads/:id/messages': {
    query: Pick<Query<typeof listMessagesSchema>, 'limit' | 'cursor' | 'after'>;
    answer: Answer<typeof messageSchema>[];
  };
  'GET /api/search/messages': { query: Query<typeof searchMessagesSchema>; answer: Answer<typeof messageSchema>[] };
  'GET /api/mentions/suggest': {
    query: Query<typeof suggestQuerySchema>;
    answer: Answer<typeof suggestionsSchema>;
  };
  'POST /api/media/upload': { form: FormData; answer: Answer<typeof uploadAnswerSchema> };
  'GET /api/attachments/:id/media-url': { answer: Answer<typeof mediaUrlSchema> };

  'GET /api/channels/:id/events': { query: Query<typeof readLogSchema>; answer: Answer<typeof logPageSchema> };
  'GET /api/events': { query: Query<typeof readLogSchema>; answer: Answer<typeof logPageSchema> };

  'PATCH /api/threads/:id': { body: Body<typeof updateThreadSchema>; answer: Answer<typeof threadSchema> };
  'DELETE /api/threads/:id': { answer: Done };
}
