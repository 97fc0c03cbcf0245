import type { z } from 'zod';
import type { CallSpec } from '../contract/call.ts';
import type { allCalls } from '../contract/calls.ts';

type Declared = (typeof allCalls)[keyof typeof allCalls];

/** The calls by method and path, as the API documents name them. Types only: no server code gets into a bundle. */
type Calls = { [C in Declared as `${C['method']} ${C['path']}`]: C };

export type RestCall = keyof Calls;

/** The names of a path's parameters, from its text. */
type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParamNames<Tail>
    : Rest
  : never;

type BodyOf<C> = C extends { file: string }
  ? { form: FormData }
  : C extends { body: infer B extends z.ZodType }
    ? { body: z.input<B> }
    : unknown;
type HeadersOf<C> = C extends { headers: infer H extends z.ZodType } ? { headers?: z.input<H> } : unknown;
type QueryOf<C> = C extends { query: infer Q extends z.ZodType } ? { query?: Partial<z.output<Q>> } : unknown;
type AnswerOf<C extends CallSpec> = C extends { produces: 'application/zip' | '*/*' } ? Blob : z.output<C['answer']>;

/** A call's parameters by their names, with `body` (or `form`), `query` and `headers` beside them. */
export type RestInput<C extends RestCall> = Record<ParamNames<C>, string> &
  BodyOf<Calls[C]> &
  QueryOf<Calls[C]> &
  HeadersOf<Calls[C]>;
export type RestAnswer<C extends RestCall> = AnswerOf<Calls[C]>;

/** The input is optional if none of it is required. */
export type RestArguments<C extends RestCall> =
  Partial<RestInput<C>> extends RestInput<C> ? [input?: RestInput<C>] : [input: RestInput<C>];
