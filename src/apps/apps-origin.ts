/** Where apps are served when they have an origin of their own (contract §8, `APPS_URL`). */
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

  /** @returns where a request belongs that came to another host than that of the apps; null when it is right here */
  elsewhere(host: string, address: { path: string; search: string }): string | null {
    if (!this.url || host.toLowerCase() === this.url.host) return null;
    return `${this.url.origin}${address.path}${address.search}`;
  }

  /** Whether on this host there is nothing but apps. */
  isAppsHost(host: string): boolean {
    return this.url !== null && host.toLowerCase() === this.url.host;
  }
}
