import { type Signal, signal } from '@preact/signals';
import { ParleyError } from '../../../client/index.ts';
import type { Core } from './session.ts';

export type PictureSize = 'large' | 'small';
export type PictureShape = 'square' | 'banner';

/** How many addresses the server takes at once. */
const maxLinks = 50;

/** Where this page gets pictures: from its own server, which fetches those that are elsewhere. */
export class Pictures {
  private readonly core: Core;
  /** The path on this site of each outside address; null: not known yet, or there is none. */
  private readonly links = new Map<string, Signal<string | null>>();
  private wanted: string[] = [];

  constructor(core: Core) {
    this.core = core;
  }

  /** The address to show a picture by; null while there is none. */
  src(url: string | null, size: PictureSize): string | null {
    if (!url) return null;
    const path = isOutside(url) ? this.link(url).value : url;
    if (path === null || size === 'large' || !path.startsWith('/media/')) return path;
    return `${path}${path.includes('?') ? '&' : '?'}size=${size}`;
  }

  /** @returns its address, to be set for a person, bot or server. @throws ParleyError */
  async upload(picture: Blob, shape: PictureShape | 'emoji'): Promise<string> {
    const form = new FormData();
    form.set('shape', shape);
    form.set('file', picture, 'picture');
    return (await this.core.client.rest('POST /api/media/pictures', { form })).url;
  }

  private link(url: string): Signal<string | null> {
    const known = this.links.get(url);
    if (known) return known;
    const link = signal<string | null>(null);
    this.links.set(url, link);
    // Those of a page are asked for together, once it is drawn.
    if (this.wanted.length === 0) this.core.scope.after(0, () => void this.ask());
    this.wanted.push(url);
    return link;
  }

  private async ask(): Promise<void> {
    const all = this.wanted;
    this.wanted = [];
    for (let at = 0; at < all.length; at += maxLinks) await this.askFor(all.slice(at, at + maxLinks));
  }

  private async askFor(urls: string[]): Promise<void> {
    try {
      const { links } = await this.core.client.rest('POST /api/media/outside-links', { body: { urls } });
      for (const { url, link } of links) {
        const known = this.links.get(url);
        if (known) known.value = link;
      }
    } catch (error) {
      if (error instanceof ParleyError && error.isPassing)
        this.core.connection.whenReachable(() => void this.askFor(urls));
    }
  }
}

/** Whether a picture is at an address of another site. */
export const isOutside = (url: string): boolean => !url.startsWith('/');

/** What a form with a field for an outside address sets: while it is empty, an uploaded picture stays. */
export function typedPicture(typed: string, current: string | null | undefined): string | null {
  if (typed !== '') return typed;
  return current && !isOutside(current) ? current : null;
}

/** The value of such a field. */
export const outsideOf = (url: string | null | undefined): string => (url && isOutside(url) ? url : '');
