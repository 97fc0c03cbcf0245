import type { Networks } from './client-address.ts';

/** Limits concurrent operations per key. */
export class AtOnce {
  private readonly max: number;
  private readonly counts = new Map<string, number>();

  constructor(max: number) {
    this.max = max;
  }

  /** Whether the key has reached its limit. */
  isFull(key: string): boolean {
    return (this.counts.get(key) ?? 0) >= this.max;
  }

  /** @returns false: the key has reached its limit, and nothing is counted */
  enter(key: string): boolean {
    if (this.isFull(key)) return false;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    return true;
  }

  /** Once for each `enter` that returned true. */
  leave(key: string): void {
    const count = this.counts.get(key) ?? 0;
    if (count > 1) this.counts.set(key, count - 1);
    else this.counts.delete(key);
  }
}

/** The same by the address of clients: the /48 of IPv6 has a limit of its own above that of each /64 in it. */
export class AtOnceByNetwork {
  private readonly addresses: AtOnce;
  private readonly sites: AtOnce;

  /** @param siteFactor how many times the limit of an address a /48 has */
  constructor(max: number, siteFactor: number) {
    this.addresses = new AtOnce(max);
    this.sites = new AtOnce(max * siteFactor);
  }

  isFull({ own, site }: Networks): boolean {
    return this.addresses.isFull(own) || (site !== null && this.sites.isFull(site));
  }

  /** @returns false: one of the limits is reached, and nothing is counted */
  enter(networks: Networks): boolean {
    if (this.isFull(networks)) return false;
    this.addresses.enter(networks.own);
    if (networks.site !== null) this.sites.enter(networks.site);
    return true;
  }

  /** Once for each `enter` that returned true. */
  leave({ own, site }: Networks): void {
    this.addresses.leave(own);
    if (site !== null) this.sites.leave(site);
  }
}
