import { expect } from 'chai';
import JSZip from 'jszip';
import { until } from '../rig/until.ts';
import type { Loose, Person, Place } from '../world/person.ts';

const path = '/api/auth/me/export';

/** An export as its owner reads it. */
export class AccountArchive {
  readonly zip: JSZip;

  private constructor(zip: JSZip) {
    this.zip = zip;
  }

  /** Asks until it is ready, which begins one if there is none, and downloads it. */
  static async of<N extends Place>(person: Person<N>): Promise<AccountArchive> {
    // Tens of thousands of messages take half a minute on a busy machine.
    await until(async () => (await person.get(path)).body.state === 'ready', { timeout: 120_000 });
    const { downloadUrl, size } = (await person.get(path)).body;
    const headers = { authorization: `Bearer ${person.token}` };
    const bytes = Buffer.from(await (await fetch(person.node.url + downloadUrl, { headers })).arrayBuffer());
    expect(bytes.length).to.equal(size);
    return new AccountArchive(await JSZip.loadAsync(bytes, { checkCRC32: true }));
  }

  get names(): string[] {
    return Object.keys(this.zip.files);
  }

  text(name: string): Promise<string> {
    const file = this.zip.file(name);
    if (!file) throw new Error(`There is no ${name} among ${this.names.join(', ')}`);
    return file.async('string');
  }

  /** A list, all of its parts. */
  async list(name: string): Promise<Loose[]> {
    const parts = this.names.filter((one) => new RegExp(`^data/${name}(-\\d+)?\\.json$`).test(one));
    return (await Promise.all(parts.map((part) => this.text(part)))).flatMap((text) => JSON.parse(text));
  }

  /** All that can be read in it. */
  async everything(): Promise<string> {
    const texts = await Promise.all(this.names.map((name) => this.text(name)));
    return [...this.names, ...texts].join('\n');
  }
}
