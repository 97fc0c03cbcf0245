import { Parser } from 'htmlparser2';

/** Answers that say nothing about the request: the same one may succeed later. */
const passing = new Set(['RequestTimeout', 'SlowDown', 'InternalError', 'ServiceUnavailable', 'OperationAborted']);
/** Answers about credentials that new ones may have replaced. */
const outdated = new Set(['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired']);

/** A request that S3 did not carry out, or did not answer. */
export class S3Error extends Error {
  /** The HTTP status; 0: there was no answer, or it broke off. */
  readonly status: number;
  /** S3's own code, such as `NoSuchKey`. */
  readonly code: string;

  constructor(
    message: string,
    { status = 0, code = '', cause }: { status?: number; code?: string; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.status = status;
    this.code = code;
  }

  /** Whether the object, or the upload, does not exist. A missing bucket is a mistake in the settings. */
  get isMissing(): boolean {
    return this.status === 404 && this.code !== 'NoSuchBucket';
  }

  /** Whether the same request may succeed in a moment. */
  get mayPass(): boolean {
    return this.status === 0 || this.status >= 500 || this.status === 429 || passing.has(this.code) || this.isOutdated;
  }

  get isOutdated(): boolean {
    return outdated.has(this.code);
  }
}

/** The error in an answer: its status and the XML of its body. @param what was asked, for the message */
export function answeredError(what: string, status: number, body: string): S3Error {
  const { Code: code = '', Message: message = '', Region: region } = textsOf(body, ['Code', 'Message', 'Region']);
  const said = [code, message, region && `The region of the bucket is ${region}.`].filter(Boolean).join(': ');
  return new S3Error(`S3 answered ${status} to ${what}${said ? `: ${said.slice(0, 500)}` : ''}.`, { status, code });
}

/** The first text of each of these elements of an XML document; none of one that is not there, or of what is no XML. */
export function textsOf<Name extends string>(xml: string, names: Name[]): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const [name, [first]] of listsOf(xml, names)) if (first !== undefined) found[name] = first;
  return found;
}

/** All texts of each of these elements. */
export function listsOf<Name extends string>(xml: string, names: Name[]): Map<Name, string[]> {
  const found = new Map<Name, string[]>();
  let open: { name: Name; text: string } | undefined;
  const parser = new Parser(
    {
      onopentagname(tag) {
        const name = names.find((one) => one === tag);
        if (name) open = { name, text: '' };
      },
      ontext(text) {
        if (open) open.text += text;
      },
      onclosetag(tag) {
        if (open?.name !== tag) return;
        found.set(open.name, [...(found.get(open.name) ?? []), open.text]);
        open = undefined;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return found;
}
