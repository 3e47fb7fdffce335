"""What Amazon Cognito itself says, asked in a user pool that is made for it and deleted afterwards."""
