import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import type { Settings } from '../settings/settings.ts';

/** Region of the web ACLs of CloudFront. */
const FIREWALL_REGION = 'us-east-1';

/** Time over which AWS WAF counts the requests of an address, in seconds. */
const WINDOW_SECONDS = 300;
/** Time after which a blocked client may try again, in seconds. AWS WAF counts again within half a minute. */
const RETRY_SECONDS = '30';

/** JSON:API error of a blocked request. AWS WAF sends it as `application/json`. */
const TOO_MANY_REQUESTS = JSON.stringify({
  errors: [{ status: '429', title: 'too many requests', detail: 'This address has sent too many requests.' }],
});

export interface FirewallStackProps extends StackProps {
  readonly settings: Settings;
  /** Requests that one address may send in five minutes. */
  readonly addressRate: number;
}

/**
 * The stack with the web ACL of the distribution. It blocks addresses that send too many requests, before they reach the API
 * and its throttle.
 */
export class FirewallStack extends Stack {
  constructor(scope: Construct, id: string, { settings, addressRate, ...stackProps }: FirewallStackProps) {
    super(scope, id, { ...stackProps, env: { ...stackProps.env, region: FIREWALL_REGION } });
    const visible = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      sampledRequestsEnabled: false,
    });
    const webAcl = new CfnWebACL(this, 'WebAcl', {
      description: `Limits the requests of an address to ${settings.name}`,
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visible(`${this.stackName}-requests`),
      customResponseBodies: {
        TooManyRequests: { contentType: 'APPLICATION_JSON', content: TOO_MANY_REQUESTS },
      },
      rules: [
        {
          name: 'AddressRate',
          priority: 0,
          statement: {
            rateBasedStatement: {
              limit: addressRate,
              aggregateKeyType: 'IP',
              evaluationWindowSec: WINDOW_SECONDS,
            },
          },
          action: {
            block: {
              customResponse: {
                responseCode: 429,
                customResponseBodyKey: 'TooManyRequests',
                responseHeaders: [
                  { name: 'retry-after', value: RETRY_SECONDS },
                  // Clients that use go-tfe wait for this time.
                  { name: 'x-ratelimit-reset', value: RETRY_SECONDS },
                ],
              },
            },
          },
          visibilityConfig: visible(`${this.stackName}-address-rate`),
        },
      ],
    });
    new CfnOutput(this, 'WebAclArn', { description: 'Value of the setting webAclArn', value: webAcl.attrArn });
  }
}
