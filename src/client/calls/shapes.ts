import type { z } from 'zod';
import type { doneSchema } from '../../contract/schema.ts';

/** Request bodies, queries and responses, as the server's contracts define them. */
export type Body<S extends z.ZodType> = z.input<S>;
export type Query<S extends z.ZodType> = Partial<z.output<S>>;
export type Answer<S extends z.ZodType> = z.output<S>;
export type Done = Answer<typeof doneSchema>;
