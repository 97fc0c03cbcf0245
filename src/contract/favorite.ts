import { z } from 'zod';
import { calls } from './call.ts';
import { channelParam } from './channel.ts';
import { durableEvent } from './event.ts';
import { idSchema } from './schema.ts';

/** How many channels and conversations someone may keep at the top (contract §5). */
export const maxFavorites = 100;

export const favoritesSchema = z.object({
  channelIds: z
    .array(idSchema)
    .describe('Channels and direct messages that you keep at the top, in your order: those that you may read.'),
});

export const favoriteOrderSchema = z.object({
  channelIds: z.array(idSchema).max(maxFavorites).describe('In their order; the others follow.'),
});

export const favoritesUpdated = durableEvent({
  name: 'favorites:updated',
  summary: 'You have other favourites, or another order of them, from here or another device.',
  room: 'user',
  payload: favoritesSchema,
});

const areas = ['messages'] as const;

export const favoriteCalls = calls('Channels', {
  listFavorites: {
    method: 'GET',
    path: '/api/favorites',
    summary: 'Your favourites: channels and direct messages that you keep at the top.',
    answer: favoritesSchema,
    areas,
  },
  orderFavorites: {
    method: 'PATCH',
    path: '/api/favorites/positions',
    summary: 'Put your favourites in order.',
    body: favoriteOrderSchema,
    answer: favoritesSchema,
    areas,
  },
  addFavorite: {
    method: 'PUT',
    path: '/api/channels/:id/favorite',
    summary: 'Keep a channel or direct message at the top, below your other favourites.',
    params: { id: channelParam },
    answer: favoritesSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'FAVORITE_LIMIT'],
    areas,
  },
  removeFavorite: {
    method: 'DELETE',
    path: '/api/channels/:id/favorite',
    summary: 'It is no favourite any more; nor must you still be in it.',
    params: { id: channelParam },
    answer: favoritesSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
    areas,
  },
});
