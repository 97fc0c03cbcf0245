import type { Context, Next } from 'koa';
import { clock } from '../infrastructure/clock.ts';
import { doctorHeader, doctorPath, isDoctorToken } from '../infrastructure/doctor-token.ts';
import { version } from '../infrastructure/version.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * Tells `parley doctor` what this node sees of its request, and what it believes of it. Whoever lacks the secrets of the
 * installation learns nothing: there is no such page.
 */
export function mirror({ jwtSecrets, trustProxy }: Pick<Settings, 'jwtSecrets' | 'trustProxy'>, nodeId: string) {
  return (context: Context, next: Next): Promise<void> | void => {
    if (context.path !== doctorPath) return next();
    if (!isDoctorToken(jwtSecrets, context.get(doctorHeader), clock.now())) return next();
    context.set('Cache-Control', 'no-store');
    context.body = {
      nodeId,
      version,
      trustProxy,
      time: clock.now(),
      forwardedFor: context.get('x-forwarded-for'),
      address: context.request.ip,
      // Where proxies are trusted it was replaced by what they say.
      host: context.get('x-forwarded-host') || context.get('host'),
      protocol: context.protocol,
    };
  };
}
