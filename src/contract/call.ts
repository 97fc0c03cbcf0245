import { z } from 'zod';
import type { AppError, ErrorCode } from './errors.ts';

/** The form of a path parameter; a value that does not fit is answered as not existing (contract §1). */
export interface Param {
  missing: ErrorCode;
  /** `uuid`: only ids; `slug`: ids or slugs; `text`: anything; `path`: the rest of the path, which may be empty. */
  form: 'uuid' | 'slug' | 'text' | 'path';
  description: string;
}

export const uuidParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'uuid', description });
export const slugParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'slug', description });
export const textParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'text', description });
export const pathParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'path', description });

/**
 * Whether a caller needs a token: `required`; `optional`, but an invalid one is refused; `ignore-invalid`, an invalid one
 * counts as none; `none`, no token is looked at.
 */
export type Auth = 'required' | 'optional' | 'ignore-invalid' | 'none';

/** The `answer` of calls that give bytes. */
export const rawAnswer = z.string().meta({ format: 'binary' });

/** The request headers for ranges and revalidation (RFC 9110). */
export const contentHeaders = z.object({
  range: z.string().optional().describe('One range of bytes; several are answered with all of it.'),
  'if-range': z.string().optional(),
  'if-none-match': z.string().optional(),
});

/** The request header that says which encodings of a file the client accepts. */
export const assetHeaders = z.object({ 'accept-encoding': z.string().optional() });

/** The format of error responses, for what a call throws and what is refused before it is handled. */
export interface ErrorForm {
  /** Below this path it also applies where there is no call. */
  base: string;
  schema(codes: ErrorCode[]): z.ZodType;
  body(error: AppError): object;
}

/** A call over REST as the contract declares it. */
export interface CallSpec {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Further methods that it answers: those that OpenAPI does not know. */
  otherMethods?: readonly string[];
  /** With `:name` for parameters, and at its end `*name` for the rest of the path, which may be empty. */
  path: string;
  summary: string;
  /** `required` unless it says otherwise. */
  auth?: Auth;
  params?: Readonly<Record<string, Param>>;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Makes the body `multipart/form-data` with a field `file`, which this describes; `body` are the text fields beside it. */
  file?: string;
  /** Request headers that it uses, by their lower-case names. */
  headers?: z.ZodType;
  /**
   * It serves user content, not this site's own: the separate host for apps (`APPS_URL`) serves nothing else, and pages of
   * any origin may request it.
   */
  userContent?: boolean;
  /** The media type of a raw response. */
  produces?: string;
  /** A caller that asks for it in the body gets the response as server-sent events. */
  streams?: true;
  /** 200 unless it creates a record (contract §1). */
  status?: 200 | 201 | 202 | 302;
  /** The redirect statuses it may answer with instead. */
  redirects?: readonly (301 | 302 | 307 | 308)[];
  /** What is to be created may exist already: then it answers 200 with the existing one. */
  mayExist?: true;
  /** The response is a bare list; the header X-Has-More says whether there is more. */
  paged?: true;
  answer: z.ZodType;
  /** Its own error codes, beside those that every call can answer. */
  errors?: readonly ErrorCode[];
  /** An error format other than that of contract §2, for clients that were written for another service. */
  errorForm?: ErrorForm;
  /**
   * The rate limit that counts it beside that of its group, which counts every request (contract §3): per user, or per
   * client address if nobody is signed in. Unless one is named, changes of a signed-in user count against the limit for
   * changes, since most of them are announced to many, and those of others against one of their own. Null: only the group's,
   * because it ends something that someone else may be abusing.
   */
  limit?: CallLimit | null;
  /**
   * `key`, unless it says otherwise: repeats of an Idempotency-Key are answered from the stored response; `never`: repeating
   * it is harmless, and the response must not be stored.
   */
  repeats?: 'key' | 'never';
  /** Response fields that are shown only once: they are not stored, and null when an Idempotency-Key is repeated. */
  shownOnce?: readonly string[];
  /** Accepts JSON under any content type, and forms, for `sendBeacon`; an invalid body counts as empty. */
  anyBody?: boolean;
}

/** The limits that a call may name; the configuration says how high each is. */
type CallLimit =
  | 'auth'
  | 'emailStart'
  | 'resetStart'
  | 'refresh'
  | 'oauth'
  | 'redeem'
  | 'messages'
  | 'uploads'
  | 'search'
  | 'discover'
  | 'webhooks';

/** A call with what its group says of all. */
export type Call<C extends CallSpec = CallSpec> = C & {
  /** The group, by which the API documents are ordered. */
  tag: string;
};

/** Declares the calls of a group, each with a name of its own. */
export function calls<const C extends Record<string, CallSpec>>(tag: string, declared: C): CallsOf<C> {
  const named = Object.entries(declared).map(([name, call]) => [name, { ...call, tag }]);
  return Object.fromEntries(named);
}

type CallsOf<C extends Record<string, CallSpec>> = { [Name in keyof C]: Call<C[Name]> };

/** What one socket sends on a lane is handled in order of arrival. */
export interface LaneSpec {
  /** The payload field that names what the event is about, unless the payload is a bare id; null: always the same. */
  by: string | null;
  /** Whether it may start when the one before it lets the next start; otherwise when all before it are done. */
  beside?: boolean;
}

/** An event that clients send, as the contract declares it. */
export interface ClientEventSpec {
  summary: string;
  payload: z.ZodType;
  /** What the ack contains beside `ok: true`. */
  ack: z.ZodObject;
  errors?: readonly ErrorCode[];
  /** The rate limit that counts it (contract §3). */
  limit: 'messages' | 'joins' | 'events' | 'deltas';
  /** Without one it never waits for earlier events. */
  lane?: LaneSpec;
  /** Whether read-only tokens may send it. */
  readOnly?: boolean;
}

export type ClientEvent<E extends ClientEventSpec = ClientEventSpec> = E & {
  tag: string;
};

/** Declares the events of a group that clients send, by their names on the wire. */
export function clientEvents<const E extends Record<string, ClientEventSpec>>(
  tag: string,
  declared: E,
): { [Name in keyof E]: ClientEvent<E[Name]> } {
  const named = Object.entries(declared).map(([name, event]) => [name, { ...event, tag }]);
  return Object.fromEntries(named);
}
