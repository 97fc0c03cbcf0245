import type { HookFormatName } from '../../../contract/hook.ts';
import type { Json } from './json.ts';

/** A post to an incoming webhook, before anyone knows what it says. */
export interface Delivery {
  /** By their names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Json;
}

/** What is to be posted of it. */
export interface Post {
  text: string;
  threadId?: string;
  replyToId?: string;
  /** It mentions nobody, whatever is in it: the sender says so, or those that it names are people of somewhere else. */
  namesNobody?: boolean;
  /** What is no text, such as the address of a picture that nobody shows. */
  metadata?: Json;
  /** An id of the sender's own, beside those in headers. */
  nonce?: string;
}

/** How a sender's posts are understood: one file each beside this one (contract §6, Incoming webhooks). */
export interface HookFormat {
  name: HookFormatName;
  /** Whether a post is in it, by headers and fields; the first in the list of all that does gets it. */
  recognises(delivery: Delivery): boolean;
  /** The headers, in lower case, with an id that is the same when it is sent again; the first that is there counts. */
  deliveryIds: readonly string[];
  /**
   * What it says. What it does not know is in the text.
   * @throws AppError VALIDATION_FAILED for what has another form than the fields that it knows
   */
  read(delivery: Delivery): Post;
}
