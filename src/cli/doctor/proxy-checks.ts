import type { Settings } from '../../settings/settings.ts';
import { type Check, ok, problem, warning } from './check.ts';
import { forgedAddress, type Seen } from './seen.ts';

/**
 * Whether a node counts the right number of proxies. The request named a sender that it does not have: each proxy appends
 * its peer after that, or replaces all of it, so what is left or comes behind is by proxies.
 */
export function proxyChecks(settings: Settings, site: URL, seen: Seen): Check[] {
  return [hopsCheck(seen), ...differs(settings, seen), hostCheck(site, seen), protocolCheck(site, seen)];
}

function hopsCheck({ forwardedFor, address, trustProxy }: Seen): Check {
  const entries = forwardedFor
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  const ours = entries.lastIndexOf(forgedAddress);
  const proxies = entries.length - ours - 1;
  const name = 'proxy.address';
  if (address === forgedAddress)
    return problem(
      name,
      `TRUST_PROXY is ${trustProxy}, and a node believes what anyone writes into X-Forwarded-For`,
      `Set TRUST_PROXY=${proxies}, or have the outermost proxy replace the header: limits by address count for nothing.`,
    );
  if (trustProxy === 0 && proxies > 0)
    return problem(
      name,
      `TRUST_PROXY is 0 behind ${proxies} ${proxies === 1 ? 'proxy' : 'proxies'}: everyone has the address of the proxy, ${address}, and shares its limits`,
      `Set TRUST_PROXY=${proxies}.`,
    );
  if (proxies > trustProxy)
    return warning(
      name,
      `TRUST_PROXY is ${trustProxy}, but ${proxies} proxies wrote into X-Forwarded-For: people seem to come from ${address}`,
      `Set TRUST_PROXY=${proxies}, if all of them are yours.`,
    );
  if (trustProxy > proxies)
    return warning(
      name,
      `TRUST_PROXY is ${trustProxy}, but ${proxies} proxies wrote into X-Forwarded-For`,
      'Set TRUST_PROXY to the number of proxies in front of the nodes, and have them send X-Forwarded-For.',
    );
  return ok(
    name,
    trustProxy === 0
      ? `no proxy; this request came from ${address}`
      : `behind ${trustProxy}, this request came from ${address}`,
  );
}

/** The nodes may have been started with other settings than these. */
function differs({ trustProxy }: Settings, seen: Seen): Check[] {
  if (seen.trustProxy === trustProxy) return [];
  const text = `a node runs with TRUST_PROXY=${seen.trustProxy}, here it is ${trustProxy}`;
  return [warning('proxy.settings', text, 'Run this with the settings of the nodes, or restart them.')];
}

function hostCheck({ host, port, protocol }: URL, seen: Seen): Check {
  const usual = protocol === 'https:' ? '443' : '80';
  const same = [host, `${host}:${port || usual}`].includes(seen.host.toLowerCase());
  if (same) return ok('proxy.host', `a node knows that it is ${seen.host}`);
  return warning(
    'proxy.host',
    `a node believes that it is ${seen.host || 'nothing'}, not ${host}`,
    'Have the proxy pass the Host on (nginx: proxy_set_header Host $host), or send X-Forwarded-Host: pages of other origins are told by it.',
  );
}

function protocolCheck({ protocol }: URL, seen: Seen): Check {
  const spoken = protocol.slice(0, -1);
  if (seen.protocol === spoken) return ok('proxy.protocol', `a node knows that it is reached by ${spoken}`);
  return warning(
    'proxy.protocol',
    `a node believes that it is reached by ${seen.protocol}, not by ${spoken}`,
    'Have the proxy send X-Forwarded-Proto, and set TRUST_PROXY.',
  );
}
