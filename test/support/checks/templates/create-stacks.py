"""Creates the stacks of a deployment in moto, an emulation of AWS in this process, and prints what exists afterwards.

Input: a JSON list of {"name", "file"}, in the order of deployment. Output: a JSON object, see `moto.ts`.
"""

import json
import logging
import os
import sys
import warnings

os.environ.update(AWS_ACCESS_KEY_ID="none", AWS_SECRET_ACCESS_KEY="none", AWS_DEFAULT_REGION="eu-central-1")

import boto3  # noqa: E402
from moto import mock_aws  # noqa: E402
from moto.cloudformation.parsing import resource_class_from_type  # noqa: E402

GLOBAL_TABLE = "AWS::DynamoDB::GlobalTable"
ASSETS = "cdk-hnb659fds-assets-123456789012-eu-central-1"
TEMPLATES = "templates"
# Buckets that exist before the stacks.
BOOTSTRAPPED = (ASSETS, TEMPLATES)
# Values that the stacks export, by name.
exports = {}
EMPTY_ZIP = b"PK\x05\x06" + bytes(18)


def as_table(resource):
    """Converts a global table with one replica to a table, the type that moto knows."""
    properties = dict(resource["Properties"])
    (replica,) = properties.pop("Replicas")
    properties["DeletionProtectionEnabled"] = replica.get("DeletionProtectionEnabled", False)
    return {**resource, "Type": "AWS::DynamoDB::Table", "Properties": properties}


def resolve(value, names, unknown):
    """Replaces imports and references that moto does not resolve.

    :param names: values of `Ref` by logical id
    :param unknown: logical ids of resources that moto cannot create, for whose attributes ARNs are made up
    """
    if isinstance(value, list):
        return [resolve(one, names, unknown) for one in value]
    if not isinstance(value, dict):
        return value
    if value.get("Ref") in names:
        return names[value["Ref"]]
    if "Fn::ImportValue" in value:
        # moto imports the resource in place of the value.
        return exports[value["Fn::ImportValue"]]
    attribute = value.get("Fn::GetAtt")
    if attribute is not None and attribute[0] in unknown:
        return f"arn:aws:unknown:eu-central-1:123456789012:{attribute[0]}"
    return {key: resolve(one, names, unknown) for key, one in value.items()}


def adapt(template):
    """Adapts a template to moto. Returns it with the types that were left out."""
    resources = template["Resources"]
    for key, resource in resources.items():
        # moto reads the tags of some types, such as keys, in another form.
        resource.get("Properties", {}).pop("Tags", None)
        if resource["Type"] == GLOBAL_TABLE:
            resources[key] = as_table(resource)
        if resource["Type"] == "AWS::Events::Archive":
            # moto expects the text of the pattern.
            resource["Properties"]["EventPattern"] = json.dumps(resource["Properties"]["EventPattern"])
    unknown = {key for key, resource in resources.items() if resource_class_from_type(resource["Type"]) is None}
    left_out = sorted({resources[key]["Type"] for key in unknown})
    for key in unknown:
        del resources[key]
    for resource in resources.values():
        needed = resource.pop("DependsOn", [])
        needed = [one for one in ([needed] if isinstance(needed, str) else needed) if one not in unknown]
        if needed:
            resource["DependsOn"] = needed
    # The references of these types are their names, but moto returns objects.
    named = {"AWS::Events::Archive": "ArchiveName", "AWS::Events::EventBus": "Name"}
    names = {key: one["Properties"][named[one["Type"]]] for key, one in resources.items() if one["Type"] in named}
    return resolve(template, {**{key: key for key in unknown}, **names}, unknown), left_out


def upload_code(template):
    """Uploads an empty archive for each asset, as the CDK does with the code of the functions."""
    for resource in template["Resources"].values():
        properties = resource.get("Properties", {})
        code = properties.get("Code") or properties.get("Content") or {}
        if "S3Key" in code:
            boto3.client("s3").put_object(Bucket=ASSETS, Key=code["S3Key"], Body=EMPTY_ZIP)


def create(stack):
    with open(stack["file"], encoding="utf-8") as file:
        template, left_out = adapt(json.load(file))
    upload_code(template)
    bucket, key = TEMPLATES, f"{stack['name']}.json"
    boto3.client("s3").put_object(Bucket=bucket, Key=key, Body=json.dumps(template))
    formation = boto3.client("cloudformation")
    url = f"https://{bucket}.s3.eu-central-1.amazonaws.com/{key}"
    formation.create_stack(StackName=stack["name"], TemplateURL=url, Capabilities=["CAPABILITY_IAM"])
    pages = formation.get_paginator("list_stack_resources").paginate(StackName=stack["name"])
    created = {one["LogicalResourceId"] for page in pages for one in page["StackResourceSummaries"]}
    (described,) = formation.describe_stacks(StackName=stack["name"])["Stacks"]
    outputs = described.get("Outputs", [])
    exports.update({one["ExportName"]: one["OutputValue"] for one in outputs if "ExportName" in one})
    return {
        "name": stack["name"],
        "status": described["StackStatus"],
        "leftOut": left_out,
        "missing": sorted(set(template["Resources"]) - created),
        "created": len(created),
        "outputs": {one["OutputKey"]: one["OutputValue"] for one in outputs},
    }


def describe():
    """Describes the resources of all stacks."""
    dynamodb, functions, parameters, s3 = (boto3.client(name) for name in ("dynamodb", "lambda", "ssm", "s3"))
    listed = functions.get_paginator("list_functions").paginate()
    published = parameters.get_paginator("get_parameters_by_path").paginate(Path="/holdfast", Recursive=True)
    return {
        "tables": [dynamodb.describe_table(TableName=name)["Table"] for name in dynamodb.list_tables()["TableNames"]],
        "buckets": [
            {
                "name": one["Name"],
                "encryption": s3.get_bucket_encryption(Bucket=one["Name"])["ServerSideEncryptionConfiguration"],
            }
            for one in s3.list_buckets()["Buckets"]
            if one["Name"] not in BOOTSTRAPPED
        ],
        "functions": [
            {
                "name": one["FunctionName"],
                "role": one["Role"],
                "variables": one.get("Environment", {}).get("Variables", {}),
            }
            for page in listed
            for one in page["Functions"]
        ],
        "roles": [one["Arn"] for one in boto3.client("iam").list_roles(MaxItems=1000)["Roles"]],
        "parameters": {one["Name"]: one["Value"] for page in published for one in page["Parameters"]},
        "buses": [one["Arn"] for one in boto3.client("events").list_event_buses()["EventBuses"]],
        "queues": boto3.client("sqs").list_queues().get("QueueUrls", []),
    }


def main():
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    with mock_aws():
        region = {"LocationConstraint": "eu-central-1"}
        for bucket in BOOTSTRAPPED:
            boto3.client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration=region)
        # Every template reads the version of the bootstrap stack.
        version = "/cdk-bootstrap/hnb659fds/version"
        boto3.client("ssm").put_parameter(Name=version, Value="30", Type="String")
        stacks = [create(stack) for stack in json.load(sys.stdin)]
        print(json.dumps({"stacks": stacks, **describe()}, default=str))


main()
