module partner

go 1.18
