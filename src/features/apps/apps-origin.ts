/** The separate origin of apps, if there is one (contract §8, `APPS_URL`). */
export class AppsOrigin {
  private readonly url: URL | null;

  /** @param appsUrl null: apps are served from the main origin */
  constructor(appsUrl: string | null) {
    this.url = appsUrl === null ? null : new URL(appsUrl);
  }

  /** Null: apps are served from the main origin. */
  get origin(): string | null {
    return this.url?.origin ?? null;
  }

  /** @returns where to redirect a request for another host than the apps' own; null when the host is right */
  elsewhere(host: string, address: { path: string; search: string }): string | null {
    if (!this.url || this.isAppsHost(host)) return null;
    return `${this.url.origin}${address.path}${address.search}`;
  }

  /** Whether this host serves only apps. */
  isAppsHost(host: string): boolean {
    if (this.url === null) return false;
    if (host === this.url.host) return true;
    // In any spelling: in capitals, with a trailing dot, or with the default port.
    return URL.parse(`${this.url.protocol}//${host}`)?.host.replace(/\.(?=:|$)/, '') === this.url.host;
  }
}
