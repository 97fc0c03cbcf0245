import type { z } from 'zod';
import type { doneSchema } from '../../schema.ts';

/** What is sent, what may stand in a query, and what comes back, as the contracts of the server say. */
export type Body<S extends z.ZodType> = z.input<S>;
export type Query<S extends z.ZodType> = Partial<z.output<S>>;
export type Answer<S extends z.ZodType> = z.output<S>;
export type Done = Answer<typeof doneSchema>;
