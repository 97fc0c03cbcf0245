import { z } from 'zod';
import { calls, uuidParam } from './call.ts';
import { categoryCreate, categoryDelete, categoryOrder, categoryUpdate } from './channel-actions.ts';
import { doneSchema, idSchema, nameSchema, record, timeSchema } from './schema.ts';
import { serverParam } from './server.ts';

/** How many categories a server has at most (contract §5). */
export const maxCategories = 100;

export const categorySchema = record('Category', {
  id: idSchema,
  serverId: idSchema,
  name: z.string(),
  position: z.number().int().describe('Among the categories of the server, the lowest first.'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export type Category = z.output<typeof categorySchema>;

export const categoryBodySchema = z.object({ name: nameSchema(100) });

export const categoryOrderSchema = z.object({
  categoryIds: z.array(idSchema).max(maxCategories).describe('In their order; the others follow.'),
});

const errors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'] as const;
const categoryParam = uuidParam('CATEGORY_NOT_FOUND', 'Id of the category.');

export const categoryCalls = calls('Channels', {
  listCategories: {
    method: 'GET',
    path: '/api/servers/:serverId/categories',
    summary:
      'The categories of a server in their order: those with a channel that you may see, and all for those with channel:order. `categoriesVersion` of the server says when to read them again.',
    params: { serverId: serverParam },
    answer: z.array(categorySchema),
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  createCategory: {
    method: 'POST',
    path: '/api/servers/:serverId/categories',
    summary: 'Create a category, below the others. Needs channel:order, like the next ones.',
    params: { serverId: serverParam },
    body: categoryBodySchema,
    status: 201,
    answer: categorySchema,
    errors: [...errors, 'CATEGORY_LIMIT'],
    audit: [categoryCreate],
  },
  orderCategories: {
    method: 'PATCH',
    path: '/api/servers/:serverId/categories/positions',
    summary: 'Put the categories of a server in order.',
    params: { serverId: serverParam },
    body: categoryOrderSchema,
    answer: z.array(categorySchema),
    errors: [...errors, 'CATEGORY_NOT_FOUND'],
    audit: [categoryOrder],
  },
  updateCategory: {
    method: 'PATCH',
    path: '/api/servers/:serverId/categories/:categoryId',
    summary: 'Rename a category.',
    params: { serverId: serverParam, categoryId: categoryParam },
    body: categoryBodySchema,
    answer: categorySchema,
    errors: [...errors, 'CATEGORY_NOT_FOUND'],
    audit: [categoryUpdate],
  },
  deleteCategory: {
    method: 'DELETE',
    path: '/api/servers/:serverId/categories/:categoryId',
    summary: 'Delete a category. Its channels stay, in no category.',
    params: { serverId: serverParam, categoryId: categoryParam },
    answer: doneSchema,
    errors: [...errors, 'CATEGORY_NOT_FOUND'],
    audit: [categoryDelete],
  },
});
