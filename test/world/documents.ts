import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Loose } from './person.ts';

/** What the documents say of an answer: `undefined` where they say nothing that could be checked. */
type Verdict = string | undefined;

/**
 * The API documents of the nodes under test, as judges of what the nodes really answer: every answer, ack and event
 * that passes through the tests' people is held against them. Fields that no schema mentions count as wrong.
 */
export class Documents {
  private readonly openApi: Loose;
  private readonly asyncApi: Loose;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly paths: { pattern: RegExp; item: Loose; pointer: string; fixed: number }[];

  constructor(openApi: Loose, asyncApi: Loose) {
    this.openApi = closed(openApi, openApi);
    this.asyncApi = closed(asyncApi, asyncApi);
    formats.default(this.ajv);
    this.ajv.addSchema(this.openApi, 'rest');
    this.ajv.addSchema(this.asyncApi, 'events');
    this.paths = Object.entries(this.openApi.paths)
      .map(([path, item]) => ({ pattern: patternOf(path, item), item, pointer: escaped(path), fixed: fixedIn(path) }))
      .sort((a, b) => b.fixed - a.fixed);
  }

  /** Judges the answer of a route. */
  answer(method: string, address: string, status: number, headers: Headers, body: Loose): Verdict {
    const path = address.split('?')[0] ?? '';
    const type = headers.get('content-type') ?? '';
    const name = method.toLowerCase();
    const found = this.paths.find(({ pattern, item }) => pattern.test(path) && item[name]);
    if (!found) return type.includes('json') && path.startsWith('/api') ? this.error('rest', body) : undefined;
    const responses = found.item[name].responses;
    const produced = Object.keys(responses[200]?.content ?? responses[201]?.content ?? {})[0];
    // A raw answer may be a part of it, nothing new, or elsewhere.
    if (status < 400 && (produced !== 'application/json' || !type.includes('json'))) return undefined;
    if (!responses[status]) return this.early(status, body);
    if (!responses[status].content) return undefined;
    if (headers.has('x-has-more') && !responses[status].headers['X-Has-More']) return 'X-Has-More is not documented';
    const at = `rest#/paths/${found.pointer}/${name}/responses/${status}/content/application~1json/schema`;
    return this.verdict(at, body);
  }

  /** Judges the ack of a client's event. */
  ack(event: string, ack: unknown): Verdict {
    return this.message(`client.${event.replaceAll(':', '.')}.ack`, ack);
  }

  /** Judges what a socket was told. */
  event(event: string, data: unknown): Verdict {
    return this.message(`server.${event.replaceAll(':', '.')}`, data);
  }

  /** What is not in the document may only be refused. */
  private message(name: string, value: unknown): Verdict {
    if (!this.asyncApi.components.messages[name]) return this.error('events', value);
    return this.verdict(`events#/components/messages/${name}/payload`, value);
  }

  /** What no route declares may only be refused before one is reached: another host has none of them. */
  private early(status: number, body: Loose): Verdict {
    const code = body?.code ?? body?.error?.code;
    return code === 'ROUTE_NOT_FOUND' ? this.error('rest', body) : `${status} ${code} is not documented`;
  }

  private error(document: 'rest' | 'events', value: unknown): Verdict {
    return this.verdict(`${document}#/components/schemas/Error`, value);
  }

  private verdict(pointer: string, value: unknown): Verdict {
    const validate = this.compiled.get(pointer) ?? this.ajv.compile({ $ref: pointer });
    this.compiled.set(pointer, validate);
    if (validate(value)) return undefined;
    const wrong = validate.errors?.map(({ instancePath, message, params }) => {
      return `${instancePath || 'it'} ${message} ${JSON.stringify(params)}`;
    });
    return `${pointer}: ${wrong?.join('; ')}\nin ${JSON.stringify(value)?.slice(0, 2000)}`;
  }
}

/** Events that were not as the documents say. They come at any time, so the end of the run tells of them. */
export const falseEvents: string[] = [];

let loading: Promise<Documents | undefined> | undefined;
let loaded: Documents | undefined;

/** The documents of the first node that gave them; all nodes of a run have the same code. */
export async function documentsFrom(url: string): Promise<Documents | undefined> {
  if (loaded) return loaded;
  loading ??= load(url).finally(() => {
    loading = undefined;
  });
  return loading;
}

/** The documents if somebody has asked a node already. */
export const knownDocuments = (): Documents | undefined => loaded;

async function load(url: string): Promise<Documents | undefined> {
  const get = async (path: string) => (await fetch(url + path, { headers: { connection: 'close' } })).json();
  try {
    loaded = new Documents(await get('/api/openapi.json'), await get('/api/asyncapi.json'));
    return loaded;
  } catch {
    // A node that is to fail does; another one will be asked.
    return undefined;
  }
}

/** The document with objects that have no fields but those that are mentioned. */
function closed(value: Loose, document: Loose, isPart = false): Loose {
  if (Array.isArray(value)) return value.map((each) => closed(each, document));
  if (typeof value !== 'object' || value === null) return value;
  const component = isPart && value.$ref && document.components.schemas[value.$ref.split('/').at(-1)];
  if (component) return closed(component, document, true);
  const entries = Object.entries<Loose>(value).map(([key, each]): [string, Loose] => {
    // The parts of a whole know nothing of each other's fields; only the whole can say what is too much.
    return [
      key,
      key === 'allOf' && Array.isArray(each)
        ? each.map((part) => closed(part, document, true))
        : closed(each, document),
    ];
  });
  const copy = Object.fromEntries(entries);
  if (Array.isArray(copy.allOf) && !isPart) return { ...copy, unevaluatedProperties: false };
  const isOpen = isPart || copy.type !== 'object' || !copy.properties || 'additionalProperties' in copy;
  return isOpen ? copy : { ...copy, additionalProperties: false };
}

function patternOf(path: string, item: Loose): RegExp {
  const parameters = Object.values<Loose>(item).flatMap((operation) => operation.parameters);
  const tail = parameters.find((parameter) => parameter['x-multi-segment'])?.name;
  const parts = path.split('/').map((part) => {
    if (part === `{${tail}}`) return '.*';
    return part.startsWith('{') ? '[^/]+' : part.replaceAll('.', '\\.');
  });
  return new RegExp(`^${parts.join('/')}$`);
}

const fixedIn = (path: string): number => path.split('/').filter((part) => !part.startsWith('{')).length;
const escaped = (path: string): string => encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
