import { CfnOutput } from 'aws-cdk-lib';
import { DomainName, IpAddressType, SecurityPolicy } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { Settings } from '../settings/settings.ts';

/** A custom host name of the API, with its DNS records if the hosted zone is known. */
export class CustomDomain extends Construct {
  readonly domainName: DomainName;

  constructor(
    scope: Construct,
    id: string,
    { name: domainName, certificateArn, hostedZoneId }: NonNullable<Settings['customDomain']>,
  ) {
    super(scope, id);
    this.domainName = new DomainName(this, 'Name', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      securityPolicy: SecurityPolicy.TLS_1_2,
      ipAddressType: IpAddressType.DUAL_STACK,
    });
    const { regionalDomainName, regionalHostedZoneId } = this.domainName;
    if (hostedZoneId === undefined) {
      new CfnOutput(scope, 'ApiDomainTarget', {
        description: `Target of the DNS record of ${domainName}`,
        value: regionalDomainName,
      });
      return;
    }
    // The name of the zone is not used, because the record name ends with a dot and is not extended.
    const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId, zoneName: domainName });
    const target = RecordTarget.fromAlias(new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId));
    new ARecord(this, 'Record', { zone, recordName: `${domainName}.`, target });
    new AaaaRecord(this, 'Ipv6Record', { zone, recordName: `${domainName}.`, target });
  }
}
