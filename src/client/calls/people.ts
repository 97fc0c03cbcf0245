import type { dmChannelSchema, openDmSchema } from '../../contract/direct.ts';
import type { blockSchema, friendshipSchema, rejectedSchema, requestFriendSchema } from '../../contract/friend.ts';
import type {
  changePreferencesSchema,
  listNotificationsSchema,
  notificationSchema,
  preferencesSchema,
  readScopeSchema,
  scopedUnreadSchema,
  unreadCountSchema,
  updatedSchema,
} from '../../contract/notification.ts';
import type { Answer, Body, Done, Query } from './shapes.ts';

/** Friends, direct messages and notifications. */
export interface PeopleCalls {
  'GET /api/friends': { answer: Answer<typeof friendshipSchema>[] };
  'GET /api/friends/pending': { answer: Answer<typeof friendshipSchema>[] };
  'GET /api/friends/sent': { answer: Answer<typeof friendshipSchema>[] };
  'POST /api/friends/request': { body: Body<typeof requestFriendSchema>; answer: Answer<typeof friendshipSchema> };
  'POST /api/friends/:id/accept': { answer: Answer<typeof friendshipSchema> };
  'POST /api/friends/:id/reject': { answer: Answer<typeof rejectedSchema> };
  'DELETE /api/friends/:id': { answer: Done };
  'GET /api/friends/blocks': { answer: Answer<typeof blockSchema>[] };
  'PUT /api/friends/blocks/:userId': { answer: Answer<typeof blockSchema> };
  'DELETE /api/friends/blocks/:userId': { answer: Done };
  'GET /api/dm/channels': { answer: Answer<typeof dmChannelSchema>[] };
  'POST /api/dm/channels': { body: Body<typeof openDmSchema>; answer: Answer<typeof dmChannelSchema> };

  'GET /api/notifications': {
    query: Query<typeof listNotificationsSchema>;
    answer: Answer<typeof notificationSchema>[];
  };
  'GET /api/notifications/unread-count': { answer: Answer<typeof unreadCountSchema> };
  'GET /api/notifications/scoped-unread': { answer: Answer<typeof scopedUnreadSchema> };
  'PATCH /api/notifications/:id/read': { answer: Answer<typeof notificationSchema> };
  'POST /api/notifications/read-all': { answer: Answer<typeof updatedSchema> };
  'POST /api/notifications/read-scope': {
    body: Body<typeof readScopeSchema>;
    answer: Answer<typeof updatedSchema>;
  };
  'GET /api/notifications/preferences': { answer: Answer<typeof preferencesSchema> };
  'PATCH /api/notifications/preferences': {
    body: Body<typeof changePreferencesSchema>;
    answer: Answer<typeof preferencesSchema>;
  };
}
