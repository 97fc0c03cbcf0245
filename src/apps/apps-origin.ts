/** The separate origin of apps, if there is one (contract §8, `APPS_URL`). */
export class AppsOrigin {
  private readonly url: URL | null;

  /** @param appsUrl null: apps are served where everything is */
  constructor(appsUrl: string | null) {
    this.url = appsUrl === null ? null : new URL(appsUrl);
  }

  /** Null: apps are served where everything is. */
  get origin(): string | null {
    return this.url?.origin ?? null;
  }

  /** @returns where to redirect a request that came to another host than the apps' own; null when the host is right */
  elsewhere(host: string, address: { path: string; search: string }): string | null {
    if (!this.url || host.toLowerCase() === this.url.host) return null;
    return `${this.url.origin}${address.path}${address.search}`;
  }

  /** Whether this host serves only apps. */
  isAppsHost(host: string): boolean {
    return this.url !== null && host.toLowerCase() === this.url.host;
  }
}
