/** A browser with cookies, that goes where it is sent, one step at a time. */
export class Browser {
  private readonly cookies = new Map<string, Map<string, string>>();
  private readonly hosts: Record<string, string>;

  /** @param hosts public origin → where it really is */
  constructor(hosts: Record<string, string>) {
    this.hosts = hosts;
  }

  /** One request, without following where it leads. */
  async get(url: string, method = 'GET'): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.jar(origin);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url.replace(origin, this.hosts[origin] ?? origin), {
      method,
      redirect: 'manual',
      headers: cookie ? { cookie } : {},
    });
    this.keep(origin, response);
    return response;
  }

  /** Remembers the cookies of an answer that the page got by itself. */
  keep(origin: string, { headers }: { headers: Headers }): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (attributes.some((attribute) => /^max-age=0$/i.test(attribute)) || value === '') this.jar(origin).delete(name);
      else this.jar(origin).set(name, value);
    }
  }

  /** Follows redirects until one leads to an address that fits. @returns that address, not yet visited */
  async follow(url: string, until: (url: URL) => boolean): Promise<URL> {
    let next = new URL(url);
    for (let step = 0; step < 15; step++) {
      if (until(next)) return next;
      const response = await this.get(next.href);
      const location = response.headers.get('location');
      if (!location) throw new Error(`${next.href} leads nowhere: ${response.status} ${await response.text()}`);
      next = new URL(location, next);
    }
    throw new Error('Too many redirects.');
  }

  private jar(origin: string): Map<string, string> {
    let jar = this.cookies.get(origin);
    if (!jar) {
      jar = new Map();
      this.cookies.set(origin, jar);
    }
    return jar;
  }
}
